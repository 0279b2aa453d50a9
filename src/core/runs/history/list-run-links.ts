import type { RunLink } from '../../audit/record-digests.ts'
import { digestRecord } from './digest-record.ts'
import type { RunStore } from './run-store.ts'

const RUNS_PER_PAGE = 500

/** Audit positions of all runs that have a record, and the digests of the complete ones. */
export async function listRunLinks(store: RunStore): Promise<RunLink[]> {
  const links: RunLink[] = []
  for (let cursor: string | undefined; ;) {
    const { runs, next_cursor: next } = await store.list({ limit: RUNS_PER_PAGE, cursor })
    for (const record of runs) {
      const { run_id: run, policy, ended_at: endedAt } = record
      const digest = endedAt === null ? undefined : digestRecord(record)
      if (policy.audit) links.push({ ...policy.audit, run, record: digest })
    }
    if (next === null) return links
    cursor = next
  }
}
