import { statSync } from 'node:fs'
import { isAbsolute, relative } from 'node:path'
import { isArchiveName } from '../../../util/archive-name.ts'

/** Name of the file with pins, next to the configuration file that names the roots. */
export const ROOT_PINS_NAME = 'skills.roots.lock'

const SCHEME = /^[a-z][a-z0-9+.-]+:/i

/** True for a root that is fetched, such as `github:owner/repo` or `https://host/skills.zip`. */
export function hasScheme(text: string): boolean {
  return SCHEME.test(text)
}

/** True for a root that is not a folder: an address, or the path of an archive. */
export function isFetchedRoot(text: string): boolean {
  if (hasScheme(text)) return true
  return isArchiveName(text) && !statSync(text, { throwIfNoEntry: false })?.isDirectory()
}

/** The text that pins of a root have: addresses as written, archives relative to the pins. */
export function toPinnedSource(text: string, folder: string): string {
  if (!isAbsolute(text)) return text
  const path = relative(folder, text).replaceAll('\\', '/')
  return path.startsWith('../') ? path : `./${path}`
}
