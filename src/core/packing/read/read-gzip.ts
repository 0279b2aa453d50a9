import { crc32 } from 'node:zlib'
import { archiveTooLargeError, invalidArchiveError, type ArchiveLimits } from './archive-error.ts'
import { inflate } from './inflate.ts'

const HEADER_BYTES = 10
const TRAILER_BYTES = 8
const HAS_NAME = 0x08
/** The flag for text and the one for a name, which common programs set. */
const ALLOWED_FLAGS = 0x01 | HAS_NAME
/** Headers of tar for each file, and the padding at its end. */
const TAR_BYTES_PER_FILE = 2048
const TAR_END_BYTES = 20 * 512

/** Unpacks a gzip file of one member, with nothing after it. */
export async function readGzip(file: Buffer, limits: ArchiveLimits): Promise<Buffer> {
  const start = findDataStart(file)
  const data = file.subarray(start)
  const overhead = limits.files * TAR_BYTES_PER_FILE + TAR_END_BYTES
  const byRatio = Math.max(1024 ** 2 + overhead, file.length * limits.ratio)
  const maxBytes = Math.min(limits.bytes + overhead, byRatio)
  const inflated = await inflate(data, maxBytes)
  if (inflated === 'too-large') {
    throw archiveTooLargeError(maxBytes === byRatio ? 'ratio' : 'bytes', limits)
  }
  if (inflated === 'damaged') throw invalidArchiveError('its compressed data is damaged or cut')
  const { bytes, consumed } = inflated
  const trailer = data.subarray(consumed)
  if (trailer.length < TRAILER_BYTES) throw invalidArchiveError('its end is cut')
  if (trailer.length > TRAILER_BYTES) {
    throw invalidArchiveError('it has data after the end of its compressed data')
  }
  if (trailer.readUInt32LE(0) !== crc32(bytes) || trailer.readUInt32LE(4) !== bytes.length) {
    throw invalidArchiveError('its content does not match its checksum')
  }
  return bytes
}

function findDataStart(file: Buffer): number {
  if (file.length < HEADER_BYTES + TRAILER_BYTES) throw invalidArchiveError('its end is cut')
  const flags = file[3] ?? 0
  if (file[2] !== 8 || (flags & ~ALLOWED_FLAGS) !== 0) {
    throw invalidArchiveError('its gzip header has fields that are not expected')
  }
  if ((flags & HAS_NAME) === 0) return HEADER_BYTES
  const end = file.indexOf(0, HEADER_BYTES)
  if (end === -1) throw invalidArchiveError('its end is cut')
  return end + 1
}
