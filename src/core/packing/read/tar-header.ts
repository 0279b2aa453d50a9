import { decodeName } from './archive-entries.ts'
import { invalidArchiveError, invalidEntryError } from './archive-error.ts'

export const BLOCK = 512

/** The fields of a header that an archive of a skill needs. */
export interface TarHeader {
  /** As written, with the prefix of ustar. */
  path: string
  /** Permission bits. */
  mode: number
  size: number
  type: string
}

/** Reads a header, which must be the same for every reader: with a checksum and in octal. */
export function readTarHeader(block: Buffer): TarHeader {
  const stored = readOctal(block.subarray(148, 156))
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (stored !== sum) throw invalidArchiveError('a header does not match its checksum')
  const path = joinPrefix(block)
  const mode = readOctal(block.subarray(100, 108))
  const size = readOctal(block.subarray(124, 136))
  if (mode === undefined || size === undefined) {
    throw invalidEntryError(path, 'has a size or mode that is not octal')
  }
  return { path, mode, size, type: String.fromCharCode(block[156] ?? 0) }
}

function joinPrefix(block: Buffer): string {
  const magic = block.toString('latin1', 257, 263)
  const name = readText(block.subarray(0, 100))
  if (magic === 'ustar ') return name
  if (magic !== 'ustar\0') throw invalidArchiveError('a header is not of the format ustar')
  const prefix = readText(block.subarray(345, 500))
  return prefix === '' ? name : `${prefix}/${name}`
}

function readText(field: Buffer): string {
  const end = field.indexOf(0)
  const used = end === -1 ? field : field.subarray(0, end)
  // Readers disagree on bytes after the end.
  if (field.subarray(used.length).some((byte) => byte !== 0)) {
    throw invalidArchiveError('a header has a name with a NUL character')
  }
  const text = decodeName(used)
  if (text === undefined) throw invalidArchiveError('a header has a name that is not UTF-8')
  return text
}

/** Undefined if the field has anything but octal digits with spaces or NULs around. */
function readOctal(field: Buffer): number | undefined {
  const digits = /^ *([0-7]+)[ \0]*$/.exec(field.toString('latin1'))?.[1]
  return digits === undefined ? undefined : Number.parseInt(digits, 8)
}
