import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listTreeFiles } from '../../util/list-tree.ts'
import { once } from '../../util/once.ts'

/** A file of the console, in the forms in which it is sent. */
interface ConsoleFile {
  type: string
  plain: Uint8Array<ArrayBuffer>
  /** Compressed forms by the name of their encoding. */
  encoded: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

const ENCODINGS: readonly (readonly [extension: string, encoding: string])[] = [
  ['br', 'br'],
  ['gz', 'gzip'],
]

/** The built console, as seen from this file in `src` and in `dist`. */
const FOLDER = fileURLToPath(new URL('../../../dist/console/', import.meta.url))

/**
 * Reads the files of the built console once, by their path. They are few and small, so that no
 * request reaches the disk and no path of a request is ever a path of a file.
 */
export const readConsoleFiles = once((): ReadonlyMap<string, ConsoleFile> => {
  const files = new Map<string, ConsoleFile>()
  for (const path of listFolder(FOLDER)) {
    const type = TYPES[path.split('.').at(-1) ?? '']
    if (type === undefined) continue
    const encoded = ENCODINGS.flatMap(([extension, encoding]) => {
      const bytes = readIfPresent(join(FOLDER, `${path}.${extension}`))
      return bytes ? [[encoding, bytes] as const] : []
    })
    const plain = readIfPresent(join(FOLDER, path))
    if (plain) files.set(path, { type, plain, encoded: new Map(encoded) })
  }
  return files
})

function listFolder(folder: string): string[] {
  try {
    return listTreeFiles(folder).map((path) => path.replaceAll('\\', '/'))
  } catch {
    return []
  }
}

function readIfPresent(path: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(readFileSync(path))
  } catch {
    return undefined
  }
}
