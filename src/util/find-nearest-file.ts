import { basename, extname } from 'node:path/posix'
import { findNearest } from './find-nearest.ts'

/** Endings of the same kind of file. */
const SAME_KIND = [
  ['.md', '.markdown'],
  ['.yml', '.yaml'],
  ['.jpg', '.jpeg'],
  ['.htm', '.html'],
  ['.js', '.mjs', '.cjs'],
  ['.ts', '.mts', '.cts'],
]

/** The file that a wrong path most likely means: of a similar name and the same kind, in any folder. */
export function findNearestFile(path: string, files: Iterable<string>): string | undefined {
  const similar = Array.from(files).filter((file) => isSameKind(path, file))
  const name = findNearest(getName(path), new Set(similar.map(getName)))
  const [first, ...others] = similar.filter((file) => getName(file) === name)
  return others.length === 0 ? first : (findNearest(path, [first ?? '', ...others]) ?? first)
}

function getName(path: string): string {
  return basename(path, extname(path))
}

/** A letter of an ending may be wrong as well, after the same name. */
function isSameKind(path: string, file: string): boolean {
  const [a, b] = [getKind(path), getKind(file)]
  if (a === b) return true
  const wrong = Array.from(a).filter((letter, at) => letter !== b[at]).length
  return getName(path) === getName(file) && a.length === b.length && wrong === 1
}

function getKind(path: string): string {
  const extension = extname(path).toLowerCase()
  return SAME_KIND.find((kind) => kind.includes(extension))?.[0] ?? extension
}
