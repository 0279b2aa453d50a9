import { crc32, deflateRawSync } from 'node:zlib'

/** An entry of a zip archive, of which every field can be wrong. */
export interface ZipPart {
  path: string | Buffer
  data?: string | Buffer
  /** Name in the local header, of the same length. */
  localPath?: string
  /** Mode of Unix with its type. */
  mode?: number
  /** Compressed data, if it is not the one of `data`. */
  packed?: Buffer
  /** Bytes before the local header. */
  before?: Buffer
  /** Bytes after the data. */
  after?: Buffer
  extra?: Buffer
  /** Changes the local header. */
  editLocal?: (header: Buffer) => void
  /** Changes the header of the directory. */
  editCentral?: (header: Buffer) => void
}

interface ZipOptions {
  prefix?: Buffer
  /** Bytes between the last file and the directory. */
  gap?: Buffer
  /** Bytes between the directory and the end record. */
  locator?: Buffer
  comment?: string
  suffix?: Buffer
  editEnd?: (end: Buffer) => void
}

const SKILL: ZipPart = { path: 'SKILL.md', data: '# Greet\n' }
const NONE = Buffer.alloc(0)

/** A zip archive of SKILL.md and further entries. */
export function buildZip(parts: readonly ZipPart[], options: ZipOptions = {}): Buffer {
  const { prefix = NONE, gap = NONE, locator = NONE, comment = '', suffix = NONE } = options
  const pieces: Buffer[] = [prefix]
  const directory: Buffer[] = []
  let offset = prefix.length
  for (const part of [SKILL, ...parts]) {
    const { local, central, start } = formatPart(part, offset)
    pieces.push(...local)
    offset = start + local.slice(1).reduce((sum, { length }) => sum + length, 0)
    directory.push(central)
  }
  pieces.push(gap)
  offset += gap.length
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  end.writeUInt16LE(comment.length, 20)
  options.editEnd?.(end)
  return Buffer.concat([
    ...pieces,
    ...directory,
    locator,
    end,
    Buffer.from(comment, 'latin1'),
    suffix,
  ])
}

function formatPart(part: ZipPart, offset: number) {
  const { before = NONE, after = NONE, extra = NONE } = part
  const data = Buffer.from(part.data ?? '')
  const name = Buffer.from(part.path)
  const packed = part.packed ?? deflateRawSync(data)
  const start = offset + before.length
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  for (const [at, value] of [
    [4, 20],
    [6, 0x0800],
    [8, 8],
    [26, name.length],
    [28, extra.length],
  ]) {
    header.writeUInt16LE(value as number, at)
  }
  header.writeUInt32LE(crc32(data), 14)
  header.writeUInt32LE(packed.length, 18)
  header.writeUInt32LE(data.length, 22)
  const central = Buffer.alloc(46)
  central.writeUInt32LE(0x02014b50, 0)
  central.writeUInt16LE(0x0314, 4)
  header.copy(central, 6, 4, 30)
  central.writeUInt32LE((part.mode ?? 0o100644) * 0x10000, 38)
  central.writeUInt32LE(start, 42)
  part.editLocal?.(header)
  part.editCentral?.(central)
  const local = [before, header, Buffer.from(part.localPath ?? name), extra, packed, after]
  return { local, central: Buffer.concat([central, name, extra]), start }
}
