import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Attack } from './attack.ts'
import { buildTar, buildTarGz } from './build-tar.ts'

const GOOD = buildTarGz([])

function edit(change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(GOOD)
  change(copy)
  return copy
}

/** With SKILL.md and a file of zeros. */
function packZeros(bytes: number): Buffer {
  return buildTarGz([{ path: 'zeros', data: Buffer.alloc(bytes) }])
}

/** Cannot be compressed. */
function packNoise(bytes: number): Buffer {
  return buildTarGz([{ path: 'noise', data: randomBytes(bytes) }])
}

const MIB = 1024 ** 2

export const GZIP_ATTACKS: readonly Attack[] = [
  {
    name: 'data after the end',
    hostile: Buffer.concat([GOOD, Buffer.from('evil')]),
    control: GOOD,
    says: 'has data after the end of its compressed data',
  },
  {
    name: 'a second member',
    hostile: Buffer.concat([GOOD, gzipSync(buildTar([{ path: 'evil', data: 'x' }]))]),
    control: GOOD,
    says: 'has data after the end',
  },
  {
    name: 'a wrong checksum',
    hostile: edit((copy) => void copy.writeUInt32LE(1, copy.length - 8)),
    control: GOOD,
    says: 'does not match its checksum',
  },
  {
    name: 'a wrong size',
    hostile: edit((copy) => void copy.writeUInt32LE(1, copy.length - 4)),
    control: GOOD,
    says: 'does not match its checksum',
  },
  { name: 'a cut end', hostile: GOOD.subarray(0, -4), control: GOOD, says: 'its end is cut' },
  { name: 'cut data', hostile: GOOD.subarray(0, 40), control: GOOD, says: 'is damaged or cut' },
  {
    name: 'damaged data',
    hostile: edit((copy) => void copy.fill(0xff, 10, 20)),
    control: GOOD,
    says: 'is damaged or cut',
  },
  {
    name: 'an extra field',
    hostile: edit((copy) => void copy.writeUInt8(4, 3)),
    control: GOOD,
    says: 'fields that are not expected',
  },
  {
    name: 'a bomb',
    hostile: packZeros(20 * MIB),
    control: packZeros(0.9 * MIB),
    says: 'unpacks to more than 200 times its size',
  },
  {
    name: 'more than 25 MiB',
    hostile: gzipSync(buildTar([{ path: 'SKILL.md', data: repeatNoise(28) }])),
    control: gzipSync(buildTar([{ path: 'SKILL.md', data: repeatNoise(24) }])),
    says: 'has more than 25 MiB unpacked',
  },
  {
    name: 'more than 10 MiB packed',
    hostile: packNoise(10 * MIB),
    control: packNoise(9 * MIB),
    says: 'has more than 10 MiB',
  },
  {
    name: 'a plain tar archive without its end',
    hostile: buildTar([{ path: 'SKILL.md', data: 'x' }]).subarray(0, 1024),
    control: buildTar([{ path: 'SKILL.md', data: 'x' }]),
    says: 'its end is cut',
  },
  {
    name: 'a text',
    hostile: Buffer.from('# SKILL'),
    control: GOOD,
    says: 'is neither a tar archive',
  },
  {
    name: 'an empty file',
    hostile: Buffer.alloc(0),
    control: GOOD,
    says: 'is neither a tar archive',
  },
]

/** Compresses by about a factor of 4, which is within the limit of the ratio. */
function repeatNoise(mib: number): Buffer {
  const block = Buffer.concat([randomBytes(8192), Buffer.alloc(24_576)])
  return Buffer.concat(
    Array.from({ length: mib * 32 }, (_, at) => {
      const copy = Buffer.from(block)
      copy.writeUInt32LE(at, 0)
      return copy
    }),
  )
}
