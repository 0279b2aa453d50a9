import { createHash } from 'node:crypto'
import { SkillsError } from '../../../errors.ts'
import type { RunLink, RunRecords } from '../../audit/record-digests.ts'
import { yieldEvery } from '../../../util/slices/yield-every.ts'
import { digestRecord } from './digest-record.ts'
import type { RunRecord } from './run-record.ts'
import type { RunStore } from './run-store.ts'

const RUNS_PER_PAGE = 500
/** Share of the time to live in which a record must exist: a run may have waited in the queue. */
const KEPT_SHARE = 0.95

/** Audit positions and digests of all runs that have a record, for `verifyAudit`. */
export async function listRunRecords(store: RunStore, ttlMs: number): Promise<RunRecords> {
  const keptSinceMs = Date.now() - ttlMs * KEPT_SHARE
  const links: RunLink[] = []
  const breathe = yieldEvery()
  let oldestMs: number | undefined
  for (let cursor: string | undefined; ;) {
    const { runs, next_cursor: next } = await store.list({ limit: RUNS_PER_PAGE, cursor })
    for (const record of runs) {
      await breathe()
      const { run_id: run, policy } = record
      oldestMs = Math.min(oldestMs ?? Infinity, Date.parse(record.started_at))
      const digest = await digestStored(store, record)
      if (policy.audit) links.push({ ...policy.audit, run, record: digest ?? undefined })
    }
    if (next === null) break
    cursor = next
  }
  return { links, keptSinceMs, oldestMs, find: async (run) => await findDigest(store, run) }
}

async function findDigest(store: RunStore, run: string): Promise<string | null | undefined> {
  try {
    return await digestStored(store, await store.get(run))
  } catch (error) {
    if (error instanceof SkillsError && error.code === 'run/not-found') return undefined
    throw error
  }
}

/** The digest of a record with that of its stored logs; null if the record has no end. */
async function digestStored(store: RunStore, record: RunRecord): Promise<string | null> {
  if (record.ended_at === null) return null
  const { logs } = record
  if (logs.digest === null) return digestRecord(record)
  return digestRecord({ ...record, logs: { ...logs, digest: await digestLogs(store, record) } })
}

async function digestLogs(store: RunStore, { run_id: id }: RunRecord): Promise<string> {
  const digest = createHash('sha256')
  for await (const chunk of await store.logs(id)) digest.update(chunk as Buffer)
  return `sha256:${digest.digest('hex')}`
}
