// @module-tag slow
import { randomBytes, randomInt } from 'node:crypto'
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { openAuditLog } from '../../../src/core/audit/audit-log.ts'
import { openAuditSource } from '../../../src/core/audit/read-audit.ts'
import { verifyAudit } from '../../../src/core/audit/verify-audit.ts'
import { checkOutputs } from '../../../src/core/outputs/store/check-outputs.ts'
import { openOutputStore } from '../../../src/core/outputs/store/file-output-store.ts'
import { checkRecords } from '../../../src/core/runs/history/check-records.ts'
import { openRunStore } from '../../../src/core/runs/history/file-run-store.ts'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { checkSessions } from '../../../src/core/skill-context/check-sessions.ts'
import { openSessionStore } from '../../../src/core/skill-context/session-store.ts'
import { openUploadedSkills } from '../../../src/core/skills/uploads/file-uploaded-skills.ts'
import { checkUploads } from '../../../src/core/skills/uploads/upload-digests.ts'
import { checkBlobs } from '../../../src/core/storage/check-blobs.ts'
import type { DamageReport } from '../../../src/core/storage/damage-report.ts'
import { openBlobStore } from '../../../src/core/storage/file-blob-store.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createEntry } from '../audit/entries.ts'
import { createRecord } from '../runs/history/example-record.ts'

const DAY = 86_400_000
/** Bytes of each file in which a bit is flipped, besides the first and the last. */
const POSITIONS = 40

interface Area {
  /** Stores one item, and returns the folder in which every file belongs to it. */
  fill(dir: string): Promise<void>
  check(dir: string): Promise<DamageReport>
}

const LONG_OUTPUT = randomBytes(200_000)

const AREAS: Record<string, Area> = {
  blob: {
    fill: async (dir) => void (await storeBlob(dir, randomBytes(500))),
    check: checkBlobs,
  },
  'large blob': {
    fill: async (dir) => void (await storeBlob(dir, Buffer.alloc(9 * 1024 ** 2, 'x'))),
    check: checkBlobs,
  },
  'run with short logs': {
    fill: async (dir) => await storeRun(dir, 'a line\n'),
    check: checkRecords,
  },
  'run with long logs': {
    fill: async (dir) => await storeRun(dir, 'another line\n'.repeat(5000)),
    check: checkRecords,
  },
  'run without logs': { fill: async (dir) => await storeRun(dir, ''), check: checkRecords },
  'short output': {
    fill: async (dir) => await storeOutput(dir, Buffer.from('short')),
    check: checkOutputs,
  },
  'long output': { fill: async (dir) => await storeOutput(dir, LONG_OUTPUT), check: checkOutputs },
  session: {
    async fill(dir) {
      const state = { version: 1 as const, agents: [] }
      await openSessionStore(dir).update('key', async () => ({ state, value: undefined }))
    },
    check: checkSessions,
  },
  'uploaded skill': {
    async fill(dir) {
      const limits = { maxSkills: 9, quotaBytes: 1e9 }
      const files = new Map([
        ['skill.toml', Buffer.from('name = "x"\n')],
        ['lib/main.py', Buffer.from('def main(args): pass\n')],
      ])
      const skill = { name: 'demo.up', version: '1.0.0', files }
      await openUploadedSkills(dir, limits).add(skill, async () => {})
    },
    check: checkUploads,
  },
  'audit log': {
    async fill(dir) {
      const log = openAuditLog(dir, { maxFileBytes: 2500 })
      for (let at = 0; at < 4; at += 1) await log.append(createEntry(), { durable: true })
    },
    async check(dir) {
      const { records, problems } = await verifyAudit(openAuditSource(dir))
      const damaged = problems.map(({ seq, sentence }) => ({ item: String(seq), reason: sentence }))
      return { checked: records, damaged }
    },
  },
}

function openBlobs(dir: string) {
  return openBlobStore(dir, { maxBlobBytes: 1e8, quotaBytes: 1e9, ttlMs: DAY })
}

async function storeBlob(dir: string, content: Buffer): Promise<string> {
  const writer = await openBlobs(dir).writer({ kind: 'text/plain' })
  await writer.write(content)
  return (await writer.commit()).id
}

async function storeRun(dir: string, logs: string): Promise<void> {
  const store = openRunStore(dir, { quotaBytes: 1e9, ttlMs: DAY })
  const record = createRecord(createRunId())
  const opened = await store.open(record, { isIdFromCaller: false, maxLogBytes: 1e6 })
  if (logs !== '') opened.log(logs)
  await opened.close({ ...record, status: 'completed' })
}

async function storeOutput(dir: string, stdout: Buffer): Promise<void> {
  const store = openOutputStore(dir, { maxOutputBytes: 1e9, quotaBytes: 1e9, ttlMs: DAY })
  const writer = store.open({ runId: createRunId(), owner: undefined, repo: undefined })
  await writer.stdout.write(stdout)
  await writer.finish({ status: 'success', exitCode: 0, signal: null })
}

/** Files with content; those of the store itself are left out. */
function listFiles(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && !/^\.(?:usage|swept|lock)/.test(each.name))
    .map((each) => join(each.parentPath, each.name))
    .filter((path) => statSync(path).size > 0)
}

/** Flips a bit and keeps the times of the file, as a failing disk does. */
function flipBit(path: string, at: number, bit = randomInt(8)): () => void {
  const { atime, mtime } = statSync(path)
  const original = readFileSync(path)
  const changed = Buffer.from(original)
  changed[at] = (changed[at] as number) ^ (1 << bit)
  const write = (content: Buffer) => {
    writeFileSync(path, content, { flag: 'r+' })
    utimesSync(path, atime, mtime)
  }
  write(changed)
  return () => write(original)
}

function choosePositions(size: number): number[] {
  const chosen = Array.from({ length: POSITIONS }, () => randomInt(size))
  return [0, size - 1, ...(size > 10_000 ? chosen.slice(0, 4) : chosen)]
}

describe('the check of stored data', () => {
  it.each(Object.keys(AREAS))('finds a flipped bit in each file of a %s', async (name) => {
    const { fill, check } = AREAS[name] as Area
    const dir = createFolder()
    await fill(dir)
    const intact = await check(dir)
    expect(intact).toMatchObject({ damaged: [] })
    expect(intact.checked).toBeGreaterThan(0)
    for (const path of listFiles(dir)) {
      for (const at of choosePositions(statSync(path).size)) {
        const restore = flipBit(path, at)
        expect((await check(dir)).damaged.length, `${path}, byte ${at}`).toBeGreaterThan(0)
        restore()
      }
    }
    expect(await check(dir)).toEqual(intact)
  })
})

describe('a blob with a flipped bit', () => {
  const SIZES = { small: 500, large: 9 * 1024 ** 2 }

  it.each(Object.entries(SIZES))('is not returned whole if it is %s', async (_, size) => {
    const dir = createFolder()
    const id = await storeBlob(dir, Buffer.alloc(size, 'x'))
    const store = openBlobs(dir)
    expect((await buffer(await store.read(id))).length).toBe(size)
    flipBit(join(dir, id.slice('blob:'.length), 'content'), size - 300)
    const reading = (async () => await buffer(await store.read(id)))()
    await expect(reading).rejects.toMatchObject({ code: 'blob/damaged' })
  })

  it.each(Object.entries(SIZES))('gives no range and no mount if it is %s', async (_, size) => {
    const dir = createFolder()
    const id = await storeBlob(dir, Buffer.alloc(size, 'x'))
    flipBit(join(dir, id.slice('blob:'.length), 'content'), size - 300)
    const store = openBlobs(dir)
    await expect(store.read(id, { start: 0, end: 10 })).rejects.toMatchObject({
      code: 'blob/damaged',
    })
    await expect(store.hold([id])).rejects.toMatchObject({ code: 'blob/damaged' })
    expect(readdirSync(join(dir, '.held'))).toEqual([])
  })

  it('stops a stream before its end', async () => {
    const dir = createFolder()
    const size = SIZES.large
    const id = await storeBlob(dir, Buffer.alloc(size, 'x'))
    flipBit(join(dir, id.slice('blob:'.length), 'content'), 0)
    let received = 0
    const stream = await openBlobs(dir).read(id)
    const reading = (async () => {
      for await (const chunk of stream) received += (chunk as Buffer).length
    })()
    await expect(reading).rejects.toMatchObject({ code: 'blob/damaged' })
    expect(received).toBeLessThan(size)
  })
})
