import { gzipSync } from 'node:zlib'

/** An entry of a tar archive, of which every byte can be wrong. */
export interface TarPart {
  path: string | Buffer
  type?: string
  data?: string | Buffer
  mode?: number
  link?: string
  /** Size in the header, if it is not the one of the data. */
  size?: number
  /** Changes the header before its checksum is computed. */
  edit?: (block: Buffer) => void
  /** Changes the header afterwards. */
  spoil?: (block: Buffer) => void
  /** The byte that fills the last block. */
  padding?: number
}

const BLOCK = 512
export const TAR_END = Buffer.alloc(2 * BLOCK)
const SKILL: TarPart = { path: 'SKILL.md', data: '# Greet\n' }

/** A gzipped tar archive of SKILL.md and further entries. */
export function buildTarGz(parts: readonly TarPart[], end: Buffer = TAR_END): Buffer {
  return gzipSync(buildTar([SKILL, ...parts], end))
}

export function buildTar(parts: readonly TarPart[], end: Buffer = TAR_END): Buffer {
  return Buffer.concat([...parts.flatMap(formatPart), end])
}

function formatPart(part: TarPart): Buffer[] {
  const data = Buffer.from(part.data ?? '')
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  Buffer.from(part.path).copy(block, 0, 0, 100)
  block.write(octal(part.mode ?? 0o644, 7) + octal(0, 7) + octal(0, 7), 100, 'latin1')
  block.write(octal(part.size ?? data.length, 11) + octal(0, 11), 124, 'latin1')
  block.write(`        ${part.type ?? '0'}${part.link ?? ''}`, 148, 'latin1')
  block.write('ustar\x0000', 257, 'latin1')
  part.edit?.(block)
  const sum = block.reduce((total, byte) => total + byte, 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  part.spoil?.(block)
  return [block, data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK, part.padding ?? 0)]
}

/** A PAX header for the next entry, or for all. */
export function buildPax(records: readonly string[], type: 'x' | 'g' = 'x'): TarPart {
  const lines = records.map((record) => {
    let length = Buffer.byteLength(record) + 3
    while (`${length} ${record}\n`.length !== length) length += 1
    return `${length} ${record}\n`
  })
  return { path: 'PaxHeader', type, data: lines.join('') }
}
