import { decodeName } from './archive-entries.ts'
import {
  archiveTooLargeError,
  invalidArchiveError,
  invalidEntryError,
  type ArchiveLimits,
} from './archive-error.ts'

const END_BYTES = 22
const ENTRY_BYTES = 46
const MAX_UINT32 = 0xffffffff
const MAX_UINT16 = 0xffff

/** Names are UTF-8. */
const IS_UTF8 = 0x0800
/** Sizes and checksum follow the data. */
export const HAS_DESCRIPTOR = 0x0008
/** Those two, and the two of the compression level. */
const ALLOWED_FLAGS = IS_UTF8 | HAS_DESCRIPTOR | 0x0006

const EXTRA_ZIP64 = 0x0001
const EXTRA_UNICODE_PATH = 0x7075

/** Systems whose upper attributes are a mode: Unix and macOS. */
const UNIX_SYSTEMS = new Set([3, 19])
const FILE_TYPE = 0o170000
const REGULAR = 0o100000
const FOLDER = 0o040000
const LINK = 0o120000

/** An entry of the central directory. */
export interface ZipEntry {
  path: string
  /** As written, for the comparison with the local header. */
  name: Buffer
  flags: number
  method: number
  crc: number
  packedSize: number
  size: number
  isExecutable: boolean
  /** Position of the local header. */
  offset: number
}

/** Reads the central directory, which must end where the end record begins. */
export function readZipDirectory(
  zip: Buffer,
  limits: ArchiveLimits,
): { items: ZipEntry[]; start: number } {
  const { end, count, start } = readEnd(zip)
  if (count > limits.files) throw archiveTooLargeError('files', limits)
  const items: ZipEntry[] = []
  let at = start
  while (items.length < count) {
    const { item, next } = readEntry(zip, at, end)
    items.push(item)
    at = next
  }
  if (at !== end) throw invalidArchiveError('its directory does not end at its end record')
  return { items, start }
}

function readEnd(zip: Buffer): { end: number; count: number; start: number } {
  const end = findEnd(zip)
  const [disk, startDisk, here, count] = [4, 6, 8, 10].map((at) => zip.readUInt16LE(end + at))
  const [size = 0, start = 0] = [12, 16].map((at) => zip.readUInt32LE(end + at))
  if (here === MAX_UINT16 || size === MAX_UINT32 || start === MAX_UINT32) throw zip64Error()
  if (end >= 20 && zip.readUInt32LE(end - 20) === 0x07064b50) throw zip64Error()
  if (disk !== 0 || startDisk !== 0 || here !== count) {
    throw invalidArchiveError('it is a part of an archive of several files')
  }
  if (start + size !== end)
    throw invalidArchiveError('its directory does not end at its end record')
  return { end, count: here as number, start }
}

/** At the very end of the file, or before a comment of plain text such as the commit of GitHub. */
function findEnd(zip: Buffer): number {
  const signature = Buffer.from([0x50, 0x4b, 5, 6])
  const at = zip.lastIndexOf(signature)
  if (at === -1 || at + END_BYTES > zip.length) throw invalidArchiveError('its end is cut')
  const comment = zip.subarray(at + END_BYTES)
  const isPlain = /^[ -~]*$/.test(comment.toString('latin1'))
  if (zip.readUInt16LE(at + 20) !== comment.length || !isPlain) {
    throw invalidArchiveError('it has data after its end')
  }
  return at
}

function readEntry(zip: Buffer, at: number, end: number): { item: ZipEntry; next: number } {
  if (at + ENTRY_BYTES > end || zip.readUInt32LE(at) !== 0x02014b50) {
    throw invalidArchiveError('its directory is damaged')
  }
  const short = (offset: number) => zip.readUInt16LE(at + offset)
  const long = (offset: number) => zip.readUInt32LE(at + offset)
  const [nameLength, extraLength, commentLength] = [short(28), short(30), short(32)]
  const extraStart = at + ENTRY_BYTES + nameLength
  const next = extraStart + extraLength + commentLength
  if (next > end) throw invalidArchiveError('its directory is damaged')
  const name = zip.subarray(at + ENTRY_BYTES, extraStart)
  const [flags, method] = [short(8), short(10)]
  const path = readName(name, flags)
  checkFeatures(path, { flags, method })
  checkExtra(zip.subarray(extraStart, extraStart + extraLength), path)
  const [packedSize, size, offset] = [long(20), long(24), long(42)]
  if ([packedSize, size, offset].includes(MAX_UINT32)) throw zip64Error()
  if (short(34) !== 0) throw invalidArchiveError('it is a part of an archive of several files')
  const isExecutable = readMode(path, short(4) >> 8, long(38))
  const item = { path, name, flags, method, crc: long(16), packedSize, size, isExecutable, offset }
  return { item, next }
}

function readName(name: Buffer, flags: number): string {
  const isAscii = name.every((byte) => byte < 0x80)
  const path = isAscii || (flags & IS_UTF8) !== 0 ? decodeName(name) : undefined
  if (path !== undefined) return path
  throw invalidEntryError(name.toString('latin1'), 'has a name that is not marked as UTF-8')
}

export function checkFeatures(
  path: string,
  { flags, method }: Pick<ZipEntry, 'flags' | 'method'>,
): void {
  if ((flags & 0x2041) !== 0) throw invalidEntryError(path, 'is encrypted')
  if ((flags & ~ALLOWED_FLAGS) !== 0)
    throw invalidEntryError(path, 'has flags that are not expected')
  if (method !== 0 && method !== 8) {
    throw invalidEntryError(path, 'is compressed in another way than deflate')
  }
}

/** Refuses fields that replace the size, the position or the name. */
export function checkExtra(extra: Buffer, path: string): void {
  for (let at = 0; at < extra.length;) {
    if (at + 4 > extra.length) throw invalidEntryError(path, 'has a damaged extra field')
    const id = extra.readUInt16LE(at)
    if (id === EXTRA_ZIP64) throw zip64Error()
    if (id === EXTRA_UNICODE_PATH) throw invalidEntryError(path, 'has a second name')
    at += 4 + extra.readUInt16LE(at + 2)
    if (at > extra.length) throw invalidEntryError(path, 'has a damaged extra field')
  }
}

/** True if the owner may execute the file; refuses links and special files. */
function readMode(path: string, system: number, attributes: number): boolean {
  const mode = UNIX_SYSTEMS.has(system) ? attributes >>> 16 : 0
  const type = mode & FILE_TYPE
  if (type === LINK) throw invalidEntryError(path, 'is a symbolic link')
  if (type !== 0 && type !== (path.endsWith('/') ? FOLDER : REGULAR)) {
    throw invalidEntryError(path, 'is not a regular file')
  }
  if ((mode & 0o7000) !== 0) throw invalidEntryError(path, 'has set-user-id or sticky bits')
  return (mode & 0o100) !== 0
}

function zip64Error() {
  return invalidArchiveError('it uses zip64, which no skill is large enough for')
}
