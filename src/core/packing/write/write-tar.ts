import { crc32 } from 'node:zlib'
import type { PackedFile } from '../packed-file.ts'
import { deflate } from './deflate.ts'

const BLOCK = 512
const MAX_NAME_BYTES = 100
/** Positions after the digits of octal numbers in a header. */
const MODE_END = 107
const SIZE_END = 135
const CHECKSUM_END = 154
const CHECKSUM = 148
const TYPE = 156
const HEADER = createHeader()

/** Writes a gzipped tar archive of sorted files: equal files give equal bytes. */
export async function writeTarGz(files: readonly PackedFile[]): Promise<Uint8Array> {
  const entries: readonly TarEntry[] = files.flatMap((file) =>
    needsPax(file.path) ? [createPaxEntry(file.path), file] : [file],
  )
  const size = entries.reduce((sum, entry) => sum + measureEntry(entry), 2 * BLOCK)
  const tar = Buffer.alloc(size)
  let at = 0
  for (const entry of entries) at = writeEntry(tar, at, entry)
  return wrapInGzip(await deflate(tar), { checksum: crc32(tar), size })
}

interface TarEntry extends PackedFile {
  /** Set for the PAX header of the following file. */
  isPax?: true
}

/** True for a path that the header of tar cannot hold. */
function needsPax(path: string): boolean {
  return Buffer.byteLength(path) > MAX_NAME_BYTES || !/^[ -~]*$/.test(path)
}

function createPaxEntry(path: string): TarEntry {
  const rest = ` path=${path}\n`
  let length = Buffer.byteLength(rest) + 1
  // The length includes its own digits.
  while (Buffer.byteLength(`${length}${rest}`) !== length) length += 1
  const bytes = Buffer.from(`${length}${rest}`)
  return { path: 'PaxHeader', bytes, isExecutable: false, isPax: true }
}

function measureEntry({ bytes }: TarEntry): number {
  return BLOCK + Math.ceil(bytes.length / BLOCK) * BLOCK
}

/** Writes header and bytes; returns the position after them and their padding. */
function writeEntry(tar: Buffer, start: number, entry: TarEntry): number {
  writeHeader(tar, start, entry)
  tar.set(entry.bytes, start + BLOCK)
  return start + measureEntry(entry)
}

/** Called by each file: the parts that all headers have in common are copied. */
function writeHeader(tar: Buffer, start: number, entry: TarEntry): void {
  const { path, bytes, isExecutable, isPax } = entry
  tar.set(HEADER, start)
  // Truncated if too long or not ASCII; the PAX header before it has the full path.
  const name = needsPax(path) ? path.replace(/[^ -~]/g, '_') : path
  tar.write(name, start, MAX_NAME_BYTES, 'latin1')
  writeOctal(tar, start + MODE_END, isExecutable ? 0o755 : 0o644)
  writeOctal(tar, start + SIZE_END, bytes.length)
  if (isPax) tar[start + TYPE] = 0x78
  let sum = 0
  for (let at = start; at < start + BLOCK; at += 1) sum += tar[at] as number
  tar.write('000000\0 ', start + CHECKSUM, 'latin1')
  writeOctal(tar, start + CHECKSUM_END, sum)
}

/** Overwrites the last zeros before `end`. */
function writeOctal(tar: Buffer, end: number, value: number): void {
  let left = value
  for (let at = end - 1; left > 0; at -= 1) {
    tar[at] = 0x30 + (left % 8)
    left = Math.floor(left / 8)
  }
}

/** A header of a file without name, mode, size and checksum, of which blanks are a part. */
function createHeader(): Buffer {
  const header = Buffer.alloc(BLOCK)
  // Mode, owner, group; size, time; checksum, type.
  const fields = `${'0000000\0'.repeat(3)}${'00000000000\0'.repeat(2)}        0`
  header.write(fields, MAX_NAME_BYTES, 'latin1')
  header.write('ustar\x0000', 257, 'latin1')
  return header
}

/** The header has no time, no name and "unknown" as the operating system. */
function wrapInGzip(
  compressed: Uint8Array,
  { checksum, size }: { checksum: number; size: number },
): Buffer {
  const header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]
  const wrapped = Buffer.allocUnsafeSlow(header.length + compressed.length + 8)
  wrapped.set(header)
  wrapped.set(compressed, header.length)
  wrapped.writeUInt32LE(checksum, wrapped.length - 8)
  wrapped.writeUInt32LE(size % 2 ** 32, wrapped.length - 4)
  return wrapped
}
