// @module-tag slow
// @module-tag nightly
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openAuditLog } from '../../../src/core/audit/audit-log.ts'
import { openAuditSource, readNewestFirst } from '../../../src/core/audit/read-audit.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createEntry, verifyFolder } from './entries.ts'
import { StoppingWriter, type Acknowledged } from './stopping-job.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

/** A failed test leaves its writers stopped, so each test has its own. */
function createWriter(): StoppingWriter {
  const writer = new StoppingWriter()
  onTestFinished(() => writer.end())
  return writer
}

/** Two records, so that a log continues in new segments. */
const maxFileBytes = 1500
/** Calls of a process that takes the lock over, and then appends. */
const TAKEOVER_CALLS = [
  'symlinkSync',
  'copyFileSync',
  'fsync',
  'renameSync',
  'rmSync',
  'unlinkSync',
  'openSync',
  'closeSync',
  'lstatSync',
  'writeSync',
]
const MAX_STOPS = 6

const PATIENCE = { timeout: 600_000 }

async function appendHere(dir: string, name: string) {
  const log = openAuditLog(dir, { maxFileBytes })
  const acknowledged: Acknowledged[] = []
  for (const id of ['1', '2']) {
    const { hash } = await log.append(createEntry({ run_id: `${name}-${id}` }), { durable: true })
    acknowledged.push({ id: `${name}-${id}`, hash })
  }
  await log.flush()
  return acknowledged
}

/** Fails unless the chain is intact and has each acknowledged record exactly once, and no others. */
async function checkLog(dir: string, acknowledged: readonly Acknowledged[]) {
  expect((await verifyFolder(dir)).problems).toEqual([])
  const found: Acknowledged[] = []
  for await (const record of readNewestFirst(openAuditSource(dir))) {
    if ('run_id' in record) found.push({ id: String(record['run_id']), hash: record.hash })
  }
  const sort = (all: readonly Acknowledged[]) => all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  expect(sort(found)).toEqual(sort(acknowledged))
}

describe('a log', () => {
  it('keeps each record while a process is stopped before any call', PATIENCE, async () => {
    const writer = createWriter()
    const seen = new Set<string>()
    for (let stopAt = 1; ; stopAt++) {
      const dir = createFolder()
      const before = await appendHere(dir, 'before')
      const job = { dir, name: 'stopped', stopAt, maxFileBytes }
      const { stopsBefore, acknowledged = [] } = await writer.start(job)
      if (stopsBefore === undefined) {
        await checkLog(dir, [...before, ...acknowledged])
        break
      }
      seen.add(stopsBefore)
      const meanwhile = await Promise.all([appendHere(dir, 'one'), appendHere(dir, 'two')])
      const own = await writer.continue()
      expect([own.error, own.acknowledged?.length]).toEqual([undefined, 3])
      const after = await appendHere(dir, 'after')
      await checkLog(dir, [before, ...meanwhile, own.acknowledged ?? [], after].flat())
      rmSync(dir, { recursive: true, force: true })
    }
    expect([...seen]).toEqual(expect.arrayContaining(['writeSync', 'fsync', 'linkSync']))
  })

  it('keeps each record while the process that takes over is stopped too', PATIENCE, async () => {
    const [first, second] = [createWriter(), createWriter()]
    // Before its first write, with the lock.
    const ownerStop = await findCall(first, 'writeSync')
    const stops = new Map<string, number>()
    for (const call of TAKEOVER_CALLS) {
      for (let stopAt = 1; stopAt <= MAX_STOPS; stopAt++) {
        const dir = createFolder()
        const before = await appendHere(dir, 'before')
        await first.start({ dir, name: 'owner', stopAt: ownerStop, maxFileBytes })
        const next = await second.start({ dir, name: 'next', stopAt, call, maxFileBytes })
        const meanwhile = next.stopsBefore === undefined ? [] : await appendHere(dir, 'here')
        const own = next.stopsBefore === undefined ? [...(next.acknowledged ?? [])] : []
        const stopped = next.stopsBefore === undefined ? [first] : [first, second]
        for (const writer of stopAt % 2 === 0 ? stopped : stopped.toReversed()) {
          const { error, acknowledged = [] } = await writer.continue()
          expect([error, acknowledged.length]).toEqual([undefined, 3])
          own.push(...acknowledged)
        }
        const after = await appendHere(dir, 'after')
        await checkLog(dir, [before, meanwhile, own, after].flat())
        rmSync(dir, { recursive: true, force: true })
        if (next.stopsBefore === undefined) break
        stops.set(call, stopAt)
      }
    }
    expect([...stops.keys()]).toEqual(TAKEOVER_CALLS)
  })
})

/** Number of the first call with a name that a writer makes on a log with records. */
async function findCall(writer: StoppingWriter, name: string) {
  for (let stopAt = 1; ; stopAt++) {
    const dir = createFolder()
    await appendHere(dir, 'before')
    const { stopsBefore } = await writer.start({ dir, name: 'trial', stopAt, maxFileBytes })
    if (stopsBefore === undefined) throw new Error(`it calls no ${name}`)
    await writer.continue()
    if (stopsBefore === name) return stopAt
  }
}

it(
  'eight processes append while an owner is stopped in the middle of an append',
  PATIENCE,
  async () => {
    const writer = createWriter()
    const stopAt = await findCall(writer, 'writeSync')
    const dir = createFolder()
    const before = await appendHere(dir, 'before')
    await writer.start({ dir, name: 'stopped', stopAt, maxFileBytes })
    const script = fileURLToPath(new URL('write-entries.ts', import.meta.url))
    const children = Array.from({ length: 8 }, () =>
      spawn(process.execPath, ['--import', BUILT_MODULES, script, dir, '20'], { stdio: 'inherit' }),
    )
    const ends = children.map(async (child) => await once(child, 'close'))
    for (const end of ends) expect(await end).toEqual([0, null])
    const { acknowledged = [] } = await writer.continue()
    const report = await verifyFolder(dir)
    expect(report).toMatchObject({ records: 8 * 20 + 2 + 3, problems: [], repaired: 0 })
    expect([before.length, acknowledged.length]).toEqual([2, 3])
  },
)

it('a process that waits for a child does not keep others from the log', PATIENCE, async () => {
  const dir = createFolder()
  const script = `
import { spawnSync } from 'node:child_process'
import { openAuditLog } from ${JSON.stringify(fileURLToPath(new URL('../../../src/core/audit/audit-log.ts', import.meta.url)))}
import { createEntry } from ${JSON.stringify(fileURLToPath(new URL('entries.ts', import.meta.url)))}
const log = openAuditLog(${JSON.stringify(dir)}, { maxFileBytes: 1e6 })
// After several records in a row it keeps the lock for further ones.
for (let at = 0; at < 20; at++) await log.append(createEntry({ run_id: 'child-' + at }), { durable: true })
process.stdout.write('blocked')
spawnSync('sleep', ['600'])`
  const child = spawn(
    process.execPath,
    ['--import', BUILT_MODULES, '--input-type=module', '-e', script],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    },
  )
  await once(child.stdout, 'data')
  await appendHere(dir, 'here')
  expect(child.exitCode).toBe(null)
  process.kill(-(child.pid as number), 'SIGKILL')
  expect(await verifyFolder(dir)).toMatchObject({ records: 22, problems: [] })
})
