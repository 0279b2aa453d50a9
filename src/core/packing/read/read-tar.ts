import type { PackedFile } from '../packed-file.ts'
import { archiveTooLargeError, invalidArchiveError, invalidEntryError } from './archive-error.ts'
import type { ArchiveEntries } from './archive-entries.ts'
import { checkPaxPath, readPax } from './read-pax.ts'
import { BLOCK, readTarHeader, type TarHeader } from './tar-header.ts'

const ORDINARY_BITS = 0o777
const MAX_PAX_BYTES = 64 * 1024

/** Types that are refused, with their names. */
const REFUSED_TYPES: Readonly<Record<string, string>> = {
  '1': 'is a hard link',
  '2': 'is a symbolic link',
  '3': 'is a device',
  '4': 'is a device',
  '6': 'is a named pipe',
  '7': 'is a contiguous file',
  L: 'is a long name in the format of GNU, expected PAX',
  K: 'is a long link in the format of GNU',
  S: 'is a sparse file',
  V: 'is a label of a volume',
  M: 'continues on another volume',
}

/** Reads the entries of a tar archive, up to its end. */
export function readTar(tar: Buffer, entries: ArchiveEntries): PackedFile[] {
  let paxPath: string | undefined
  for (let at = 0; ;) {
    const block = tar.subarray(at, at + BLOCK)
    if (block.length < BLOCK) throw invalidArchiveError('its end is cut')
    if (isZero(block)) {
      if (paxPath !== undefined) throw invalidArchiveError('a PAX header has no file')
      checkEnd(tar.subarray(at))
      return entries.files
    }
    const header = readTarHeader(block)
    const start = at + BLOCK
    const padded = Math.ceil(header.size / BLOCK) * BLOCK
    if (header.size > entries.limits.bytes) throw archiveTooLargeError('bytes', entries.limits)
    if (start + padded > tar.length) throw invalidEntryError(header.path, 'is cut')
    checkZero(tar.subarray(start + header.size, start + padded), header.path)
    const data = tar.subarray(start, start + header.size)
    entries.countEntry()
    if (header.type === 'x' || header.type === 'g') {
      if (paxPath !== undefined) throw invalidArchiveError('two PAX headers precede one file')
      paxPath = readPaxEntry(header, data)
    } else {
      addTarEntry(entries, { ...header, path: resolvePath(header, paxPath) }, data)
      paxPath = undefined
    }
    at = start + padded
  }
}

/** A global header may only have facts without effect, such as the commit of `git archive`. */
function readPaxEntry({ type, size }: TarHeader, data: Buffer): string | undefined {
  if (size > MAX_PAX_BYTES) throw invalidArchiveError('a PAX header is too large')
  const path = readPax(data)
  if (type === 'g' && path !== undefined) throw invalidArchiveError('one path is set for all files')
  return path
}

/** Without the "./" that `tar -C folder .` writes. */
function resolvePath({ path: written }: TarHeader, paxPath: string | undefined): string {
  const path = paxPath === undefined ? written : checkPaxPath(paxPath, written)
  return path.replace(/^\.\/(?!\/)/, '')
}

function addTarEntry(
  entries: ArchiveEntries,
  { path, mode, size, type }: TarHeader,
  bytes: Buffer,
): void {
  if ((mode & ~ORDINARY_BITS & 0o7777) !== 0)
    throw invalidEntryError(path, 'has set-user-id or sticky bits')
  if (type === '5') {
    if (size > 0) throw invalidEntryError(path, 'is a folder with content')
    // The folder "." itself.
    if (path !== '' && path !== '.') entries.addFolder(path.replace(/\/$/, ''))
  } else if (type === '0' || type === '\0') {
    entries.addFile({ path, isExecutable: (mode & 0o100) !== 0, bytes })
  } else {
    throw invalidEntryError(path, REFUSED_TYPES[type] ?? 'is not a regular file')
  }
}

/** Two empty blocks, and padding up to the size of a record. */
function checkEnd(rest: Buffer): void {
  if (rest.length < 2 * BLOCK) throw invalidArchiveError('its end is cut')
  if (!isZero(rest)) throw invalidArchiveError('it has data after its end')
}

function checkZero(padding: Buffer, path: string): void {
  if (!isZero(padding)) throw invalidEntryError(path, 'has data in its padding')
}

function isZero(bytes: Buffer): boolean {
  return bytes.equals(Buffer.alloc(bytes.length))
}
