import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { encodeEntryHead, ENTRY } from '../../../src/core/sandbox/executor/archive.ts'
import { receiveFiles } from '../../../src/core/sandbox/executor/receive-files.ts'
import type { Random } from '../engine/random.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectThat } from './expect.ts'

const HEAD_BYTES = 15
const MAX_BYTES = 10_000
const MAX_ENTRIES = 20

function encode(type: (typeof ENTRY)[keyof typeof ENTRY], path: string, content = ''): Buffer {
  const [name, bytes] = [Buffer.from(path), Buffer.from(content)]
  return Buffer.concat([
    encodeEntryHead({ type, mode: 0o755, path: name, size: bytes.length }),
    bytes,
  ])
}

const ENTRIES = [
  encode('d', 'workspace/out'),
  encode('f', 'workspace/out/a', 'content'),
  encode('l', 'workspace/out', '..'),
  encode('f', 'workspace/../victim', 'content'),
  encode('r', 'workspace/out/a'),
  encode('l', 'workspace/link', '../victim'),
  encode('f', 'workspace/link', 'content'),
  encode('x', ''),
]
const END = encodeEntryHead({ type: ENTRY.end })

/** Files that a run in an executor returns, which foreign code may have changed. */
export const target: FuzzTarget = {
  name: 'returned-files',
  format: 'bytes',
  seeds: [Buffer.concat([...ENTRIES, END]), ...ENTRIES.map((each) => Buffer.concat([each, END]))],
  words: ENTRIES,
  repair: repairEntries,
  open: (isPlanted) => async (input) => {
    const top = mkdtempSync(join(tmpdir(), 'skills-fuzz-'))
    try {
      const workspace = join(top, 'workspace')
      mkdirSync(workspace)
      writeFileSync(join(top, 'victim'), 'of the host')
      const folders = new Map([['/workspace', workspace]])
      const limits = { maxBytes: MAX_BYTES, maxEntries: MAX_ENTRIES }
      await receiveFiles(Readable.from([input]), { folders, ...limits }).catch(() => {})
      // The planted bug: a link is followed.
      if (isPlanted && existsSync(join(workspace, 'link'))) writeFileSync(join(top, 'more'), '')
      expectThat(readdirSync(top).sort().join() === 'victim,workspace', 'nothing is outside')
      const { size, mode } = lstatSync(join(top, 'victim'))
      expectThat(size === 11 && (mode & 0o111) === 0, 'the file of the host is unchanged')
      expectThat(countEntries(workspace) <= MAX_ENTRIES * 64, 'entries are bounded')
    } finally {
      rmSync(top, { recursive: true, force: true })
    }
  },
}

function countEntries(folder: string): number {
  return readdirSync(folder, { recursive: true }).length
}

/** Makes the lengths of each entry fit. */
function repairEntries(input: Buffer, random: Random): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at + HEAD_BYTES <= input.length && parts.length < 50;) {
    const rest = input.subarray(at + HEAD_BYTES)
    const pathSize = Math.min(input.readUInt32BE(at + 3), rest.length, 64)
    const size = Math.min(input.readUInt32BE(at + 11), rest.length - pathSize, 256)
    const types = Object.values(ENTRY)
    const known = types.find((each) => each.charCodeAt(0) === input[at])
    const type = known ?? types[random.below(types.length)] ?? ENTRY.end
    const path = rest.subarray(0, pathSize)
    const content = rest.subarray(pathSize, pathSize + size)
    parts.push(encodeEntryHead({ type, mode: input.readUInt16BE(at + 1), path, size }), content)
    at += HEAD_BYTES + pathSize + size
  }
  return Buffer.concat([...parts, END])
}
