import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openRunStore } from '../../../src/core/runs/history/file-run-store.ts'
import { encodeRecord } from '../../../src/core/runs/history/record-file.ts'
import type { RunRecord } from '../../../src/core/runs/history/run-record.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { allowSkillsErrors, expectThat } from './expect.ts'
import { sealLines } from './seal-lines.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

const ID = `run_${'0123456789'.repeat(2)}`
const STARTED = '2100-01-01T00:00:00.000Z'
const RECORD = {
  run_id: ID,
  kind: 'execute_skill',
  status: 'completed',
  who: { door: 'cli', caller: 'local' },
  request: {
    skill: 'demo.greet@0.1.0',
    args: { a: 1 },
    args_cut: [],
    input_blobs: [],
    timeout_ms: null,
  },
  skills: [{ name: 'demo.greet', version: '0.1.0', digest: null }],
  policy: { allowed: true, reasons: [], network: [], secrets: [] },
  isolation: null,
  limits: null,
  started_at: STARTED,
  ended_at: STARTED,
  duration_ms: 0,
  exit: null,
  summary: null,
  output: null,
  error: null,
  blobs: [],
  logs: { size_bytes: 4, kept_bytes: 4, digest: null },
} satisfies RunRecord
const MAP = { stdout: { bytes: 4, lineEnds: 1 }, stderr: { bytes: 0, lineEnds: 0 }, pieces: '' }
const MARKER = encodeRecord({ owner: '1-1', record: { ...RECORD, status: 'running' } })
const FILES = [`${MARKER}${encodeRecord({ record: RECORD, map: MAP, follow: 4 })}abc\n`, MARKER]

/** The record of a run, as a crash or another program may have left it. */
export const target: FuzzTarget = {
  name: 'run-records',
  format: 'text',
  seeds: FILES,
  words: [
    'null',
    '{}',
    '[]',
    '"record":null',
    '"owner":',
    '"started_at":1',
    '"skills":0',
    '"logs":{}',
    '"map":null',
    '\n',
    '"follow":-1',
    '"status":"running"',
    '../../../x',
    '"who":5',
  ],
  open(isPlanted) {
    const dir = createTemporaryFolder()
    const finished = join(dir, '2100-01-01', `000000000-${ID}.json`)
    const active = join(dir, '.open', ID)
    for (const each of ['2100-01-01', '.open']) mkdirSync(join(dir, each))
    const store = openRunStore(dir, { quotaBytes: 1e9, ttlMs: 1e12 })
    return async (input) => {
      for (const file of [finished, active]) {
        rmSync(finished, { force: true })
        rmSync(active, { force: true })
        writeFileSync(file, sealLines(input))
        // The planted bug: a line that is not JSON ends the listing.
        if (isPlanted) JSON.parse(input.toString('utf8').split('\n')[0] ?? '')
        await readEverything(store)
      }
    }
  },
}

async function readEverything(store: ReturnType<typeof openRunStore>): Promise<void> {
  await allowSkillsErrors(async () => {
    const { runs } = await store.list({ skill: 'demo.greet', status: 'completed' })
    for (const run of runs) expectThat(run.status === 'completed', 'the query is applied')
  })
  await allowSkillsErrors(async () => await store.get(ID))
  await allowSkillsErrors(async () => await store.find('0123', 5))
  await allowSkillsErrors(async () => (await store.logs(ID)).destroy())
  await allowSkillsErrors(async () => {
    const { stdout } = await store.output(ID)
    // Damaged maps are reported as such by the caller of this stream.
    await stdout.read(() => true).catch(() => {})
  })
  await allowSkillsErrors(async () => await store.expire({ dryRun: true }))
}
