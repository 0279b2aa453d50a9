import { crc32 } from 'node:zlib'
import type { PackedFile } from '../packed-file.ts'
import { deflate } from './deflate.ts'

const BLOCK = 512
const MAX_NAME_BYTES = 100

/** Writes a gzipped tar archive of sorted files: equal files give equal bytes. */
export async function writeTarGz(files: readonly PackedFile[]): Promise<Uint8Array> {
  return await writeGzip(writeTar(files))
}

function writeTar(files: readonly PackedFile[]): Buffer {
  const blocks = files.flatMap((file) => {
    const { path } = file
    const needsPax = Buffer.byteLength(path) > MAX_NAME_BYTES || !/^[ -~]*$/.test(path)
    return [...(needsPax ? formatPaxEntry(path) : []), ...formatTarEntry(file, '0')]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

/** Stores a path that the following header cannot hold. */
function formatPaxEntry(path: string): Uint8Array[] {
  const rest = ` path=${path}\n`
  let length = Buffer.byteLength(rest) + 1
  // The length includes its own digits.
  while (Buffer.byteLength(`${length}${rest}`) !== length) length += 1
  const bytes = Buffer.from(`${length}${rest}`)
  return formatTarEntry({ path: 'PaxHeader', bytes, isExecutable: false }, 'x')
}

function formatTarEntry(file: PackedFile, type: '0' | 'x'): Uint8Array[] {
  const padding = Buffer.alloc((BLOCK - (file.bytes.length % BLOCK)) % BLOCK)
  return [formatTarHeader(file, type), file.bytes, padding]
}

function formatTarHeader({ path, bytes, isExecutable }: PackedFile, type: '0' | 'x'): Buffer {
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  const mode = isExecutable ? 0o755 : 0o644
  // Truncated if too long or not ASCII; the PAX header before it has the full path.
  block.write(path.replace(/[^ -~]/g, '_').slice(0, MAX_NAME_BYTES), 0, 'latin1')
  block.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100, 'latin1')
  block.write(`${octal(bytes.length, 11)}\0${octal(0, 11)}\0        ${type}`, 124, 'latin1')
  block.write('ustar\x0000', 257, 'latin1')
  let sum = 0
  for (const byte of block) sum += byte
  block.write(`${octal(sum, 6)}\0 `, 148, 'latin1')
  return block
}

/** The header has no time, no name and "unknown" as the operating system. */
async function writeGzip(bytes: Uint8Array): Promise<Uint8Array> {
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255])
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(bytes), 0)
  trailer.writeUInt32LE(bytes.length, 4)
  return Buffer.concat([header, await deflate(bytes), trailer])
}
