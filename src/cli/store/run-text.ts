import type { PlainObject } from '../../core/skills/manifest/manifest.ts'
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

/** Target of a run: a skill, a program of a language, or code with its mounted skills. */
export function describeRunTarget({ kind, request, skills }: RunRecord): string {
  if (request.skill !== undefined) return request.skill
  if (kind === 'execute') return describeProgram(request.args)
  const mounted = skills.map(({ name, version }) => `${name}@${version}`).join(', ')
  return mounted === '' ? 'code' : `code with ${mounted}`
}

function describeProgram({ runtime, language = runtime, repository }: PlainObject): string {
  const programName = typeof language === 'string' ? language : 'a program'
  return typeof repository === 'string' ? `${programName} in ${repository}` : programName
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
