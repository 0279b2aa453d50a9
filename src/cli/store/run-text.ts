import type { RunRecord, RunStatus } from '../../core/runs/history/run-record.ts'
import type { Services } from '../../core/services.ts'
import type { Context } from '../context.ts'
import { findId } from './find-id.ts'

/** Ids that a misspelt one is compared with. */
const MAX_COMPARED_IDS = 200

/** Full id of a run. A detached run that is compiled has no record yet. */
export async function findRunId(
  services: Pick<Services, 'runs' | 'detached'>,
  word: string,
): Promise<string> {
  const store = await services.runs()
  const listDetached = async (start: string) =>
    (await (await services.detached()).list())
      .map((run) => run.start.run_id)
      .filter((id) => id.startsWith(start))
  return await findId(word, {
    prefix: 'run_',
    noun: 'run',
    find: async (start, limit) =>
      [...new Set([...(await store.find(start, limit)), ...(await listDetached(start))])].slice(
        0,
        limit,
      ),
    recent: async () =>
      (await store.list({ limit: MAX_COMPARED_IDS })).runs.map((run) => run.run_id),
  })
}

/** Status in its colour. */
export function paintStatus({ style }: Context, status: RunStatus): string {
  if (status === 'completed') return style.green(status)
  if (status === 'running') return style.cyan(status)
  return status === 'cancelled' || status === 'interrupted'
    ? style.yellow(status)
    : style.red(status)
}

/** Duration for people: `52 ms`, `1.3 s`. */
export function formatRunDuration({ duration_ms: ms }: Pick<RunRecord, 'duration_ms'>): string {
  if (ms === null) return '-'
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}
