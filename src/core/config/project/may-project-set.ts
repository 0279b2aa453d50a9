import { lstatSync, realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FileValue } from '../config-file.ts'
import type { ConfigKey } from '../keys.ts'
import { hasScheme } from '../roots/root-source.ts'

/** Bounds of the values of a project. */
interface ProjectBounds {
  /** Folder of the project. */
  dir: string
  /** Value without the project's file: that of the user, or the default. */
  before: unknown
}

/** True if a project that the user does not trust may give a setting this value. */
export function mayProjectSet(
  { key, value }: Pick<FileValue, 'key' | 'value'>,
  { dir, before }: ProjectBounds,
): boolean {
  if (key.setBy === 'project, to restrict') return restricts(key, value, before)
  if (key.setBy !== 'project') return false
  if (key.type === 'path') return isInsideProject(value as string, dir)
  if (key.type !== 'roots') return true
  return (value as readonly string[]).every(
    (root) => !hasScheme(root) && isInsideProject(root, dir),
  )
}

/** Choices are in the order in which they allow less. */
function restricts({ choices = [] }: ConfigKey, value: unknown, before: unknown): boolean {
  if (typeof value === 'number') return typeof before === 'number' && value <= before
  return choices.indexOf(value as string) >= choices.indexOf(before as string)
}

/** Follows links, as reading does. A link without a target may get one outside. */
function isInsideProject(path: string, dir: string): boolean {
  try {
    let existing = path
    while (!lstatSync(existing, { throwIfNoEntry: false })) existing = dirname(existing)
    const real = realpathSync(existing)
    const folder = realpathSync(dir)
    return real === folder || real.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
  } catch {
    return false
  }
}
