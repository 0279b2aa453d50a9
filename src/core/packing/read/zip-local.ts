import { invalidEntryError } from './archive-error.ts'
import { checkExtra, checkFeatures, HAS_DESCRIPTOR, type ZipEntry } from './zip-directory.ts'

const HEADER_BYTES = 30

/** Finds the data of an entry; its local header must agree with the directory. */
export function findEntryData(
  zip: Buffer,
  item: ZipEntry,
  limit: number,
): { data: Buffer; end: number } {
  const { path, offset, packedSize } = item
  if (offset + HEADER_BYTES > limit || zip.readUInt32LE(offset) !== 0x04034b50) {
    throw invalidEntryError(path, 'has no header where the directory expects it')
  }
  const nameStart = offset + HEADER_BYTES
  const extraStart = nameStart + zip.readUInt16LE(offset + 26)
  const start = extraStart + zip.readUInt16LE(offset + 28)
  const end = start + packedSize
  if (end > limit) throw invalidEntryError(path, 'is longer than the archive')
  const name = zip.subarray(nameStart, extraStart)
  if (!name.equals(item.name)) {
    throw invalidEntryError(
      path,
      `has a header with another name, ${JSON.stringify(name.toString('latin1'))}`,
    )
  }
  checkExtra(zip.subarray(extraStart, start), path)
  checkHeader(zip, item)
  const data = zip.subarray(start, end)
  if ((item.flags & HAS_DESCRIPTOR) === 0) return { data, end }
  return { data, end: end + checkDescriptor(zip.subarray(end, limit), item) }
}

function checkHeader(zip: Buffer, item: ZipEntry): void {
  const { path, offset } = item
  const [flags, method] = [zip.readUInt16LE(offset + 6), zip.readUInt16LE(offset + 8)]
  checkFeatures(path, { flags, method })
  const fields = [14, 18, 22].map((at) => zip.readUInt32LE(offset + at))
  const expected = [item.crc, item.packedSize, item.size]
  const hasDescriptor = (item.flags & HAS_DESCRIPTOR) !== 0
  const isEqual =
    flags === item.flags &&
    method === item.method &&
    fields.every((field, at) => field === expected[at] || (hasDescriptor && field === 0))
  if (!isEqual) throw invalidEntryError(path, 'has a header that differs from the directory')
}

/** Bytes of the descriptor after the data, with or without its signature. */
function checkDescriptor(rest: Buffer, { path, crc, packedSize, size }: ZipEntry): number {
  const expected = Buffer.alloc(16)
  const fields = [0x08074b50, crc, packedSize, size]
  for (const [at, field] of fields.entries()) expected.writeUInt32LE(field, at * 4)
  for (const form of [expected, expected.subarray(4)]) {
    if (rest.subarray(0, form.length).equals(form)) return form.length
  }
  throw invalidEntryError(path, 'has a descriptor that differs from the directory')
}
