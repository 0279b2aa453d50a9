import { crc32 } from 'node:zlib'
import { startWorkSlices } from '../../../util/slices/work-slices.ts'
import type { PackedFile } from '../packed-file.ts'
import { deflate } from './deflate.ts'

/** 1980-01-01 00:00, the earliest time of the format, which has no time zone. */
const DOS_TIME = 0
const DOS_DATE = (0 << 9) | (1 << 5) | 1
/** Names are UTF-8. */
const FLAGS = 0x0800
const VERSION = 20
/** Attributes are modes of Unix. */
const MADE_BY = (3 << 8) | VERSION

/** Writes a zip archive of sorted files: equal files give equal bytes. */
export async function writeZip(files: readonly PackedFile[]): Promise<Uint8Array> {
  const yieldIfDue = startWorkSlices()
  const local: Uint8Array[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const file of files) {
    const { name, fields, data } = await encodeFile(file)
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50, 0)
    fields.copy(header, 4)
    central.push(formatCentralHeader({ name, fields, offset }, file.isExecutable))
    local.push(header, name, data)
    offset += header.length + name.length + data.length
    await yieldIfDue()
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...local, directory, end])
}

/** Name, data, and the 26 bytes that both headers of a file have in common. */
async function encodeFile({ path, bytes }: PackedFile) {
  const compressed = await deflate(bytes)
  const isCompressed = compressed.length < bytes.length
  const data = isCompressed ? compressed : bytes
  const name = Buffer.from(path)
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(VERSION, 0)
  fields.writeUInt16LE(FLAGS, 2)
  fields.writeUInt16LE(isCompressed ? 8 : 0, 4)
  fields.writeUInt16LE(DOS_TIME, 6)
  fields.writeUInt16LE(DOS_DATE, 8)
  fields.writeUInt32LE(crc32(bytes), 10)
  fields.writeUInt32LE(data.length, 14)
  fields.writeUInt32LE(bytes.length, 18)
  fields.writeUInt16LE(name.length, 22)
  return { name, fields, data }
}

function formatCentralHeader(
  { name, fields, offset }: { name: Buffer; fields: Buffer; offset: number },
  isExecutable: boolean,
): Buffer {
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(MADE_BY, 4)
  fields.copy(header, 6)
  header.writeUInt32LE((isExecutable ? 0o100755 : 0o100644) * 0x10000, 38)
  header.writeUInt32LE(offset, 42)
  return Buffer.concat([header, name])
}
