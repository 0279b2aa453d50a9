import { crc32 } from 'node:zlib'
import type { PackedFile } from '../packed-file.ts'
import type { ArchiveEntries } from './archive-entries.ts'
import { archiveTooLargeError, invalidArchiveError, invalidEntryError } from './archive-error.ts'
import { inflate } from './inflate.ts'
import { readZipDirectory, type ZipEntry } from './zip-directory.ts'
import { findEntryData } from './zip-local.ts'

const MIN_RATIO_BYTES = 1024 ** 2

/** Reads the entries of a zip archive; every byte of it must belong to one of them. */
export async function readZip(zip: Buffer, entries: ArchiveEntries): Promise<PackedFile[]> {
  const { items, start } = readZipDirectory(zip, entries.limits)
  checkSizes(zip, items, entries)
  const ordered = items.toSorted((a, b) => a.offset - b.offset)
  const data = new Map<ZipEntry, Buffer>()
  let at = 0
  for (const item of ordered) {
    if (item.offset !== at) {
      throw invalidEntryError(item.path, 'overlaps another file, or has hidden data before it')
    }
    const found = findEntryData(zip, item, start)
    data.set(item, found.data)
    at = found.end
  }
  if (at !== start) throw invalidArchiveError('it has data that belongs to no file')
  for (const item of items) await addZipEntry(entries, item, data.get(item) as Buffer)
  return entries.files
}

/** Before anything is unpacked. */
function checkSizes(zip: Buffer, items: readonly ZipEntry[], { limits }: ArchiveEntries): void {
  const total = items.reduce((sum, { size }) => sum + size, 0)
  if (total > limits.bytes) throw archiveTooLargeError('bytes', limits)
  if (total > MIN_RATIO_BYTES && total > zip.length * limits.ratio) {
    throw archiveTooLargeError('ratio', limits)
  }
}

async function addZipEntry(entries: ArchiveEntries, item: ZipEntry, data: Buffer): Promise<void> {
  entries.countEntry()
  const { path, size, isExecutable } = item
  if (path.endsWith('/')) {
    if (size > 0) throw invalidEntryError(path, 'is a folder with content')
    entries.addFolder(path.slice(0, -1))
    return
  }
  const bytes = await unpackEntry(item, data)
  if (bytes.length !== size || crc32(bytes) !== item.crc) {
    throw invalidEntryError(path, 'does not match its size or checksum')
  }
  entries.addFile({ path, isExecutable, bytes })
}

async function unpackEntry({ path, method, size }: ZipEntry, data: Buffer): Promise<Buffer> {
  if (method === 0) return data
  const inflated = await inflate(data, size)
  if (inflated === 'too-large') throw invalidEntryError(path, 'does not match its size or checksum')
  if (inflated === 'damaged') throw invalidEntryError(path, 'has damaged compressed data')
  if (inflated.consumed !== data.length) {
    throw invalidEntryError(path, 'has data after the end of its compressed data')
  }
  return inflated.bytes
}
