import type { Link } from '../../core/audit/chain.ts'
import { verifyAudit, type AuditReport, type RunLink } from '../../core/audit/verify-audit.ts'
import type { RunStore } from '../../core/runs/history/run-store.ts'
import { SkillsError } from '../../errors.ts'
import { listOption, type Call } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { plural } from '../store/plural.ts'

const FOUND = 1
/** Reading all that there are could take longer than reading the log. */
const MOST_RUNS = 500

/** `skills audit verify`. */
export async function verify(context: Context, call: Call): Promise<number> {
  const anchors = listOption(call, 'anchor').map(readAnchor)
  const runtime = await openRuntime(context)
  const runs = await linksOfRuns(await runtime.runs())
  const report = await verifyAudit(await runtime.auditSource(), anchors, runs)
  const ok = report.problems.length === 0
  if (context.global.json) {
    const { endsTorn: ends_torn, ...facts } = report
    context.document('skills.audit-report/v1', { ok, ...facts, ends_torn })
  } else show(context, report)
  return ok ? 0 : FOUND
}

/** Of the newest runs: where each began in the log. */
async function linksOfRuns(store: RunStore): Promise<RunLink[]> {
  const { runs } = await store.list({ limit: MOST_RUNS })
  return runs.flatMap(({ run_id: run, policy: { audit } }) => (audit ? [{ ...audit, run }] : []))
}

function show(context: Context, report: AuditReport): void {
  const { style } = context
  for (const { code, place, sentence } of report.problems) {
    context.print(`${style.red(code)} ${place === undefined ? '' : `${place}: `}${sentence}`)
  }
  const { records, files, removed, repaired, endsTorn, last, problems } = report
  const size = `${plural(records, 'record')} in ${plural(files, 'file')}`
  if (problems.length === 0) context.print(`${style.green('intact')} ${size}`)
  else context.print(`${style.red('not intact')} ${size}, ${plural(problems.length, 'problem')}`)
  if (removed > 0)
    context.note(
      `${plural(removed, 'older record')} went before it, and left its place in the chain`,
    )
  if (repaired > 0) {
    context.note(
      `Crashes left ${plural(repaired, 'half record')}, which ${repaired > 1 ? 'were' : 'was'} cut off`,
    )
  }
  if (endsTorn) context.note('It ends in half a record: a crash left it, or it is being written')
  if (last && problems.length === 0) context.print(`anchor ${last.seq}:${last.hash}`)
}

function readAnchor(text: string): Link {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash }
  const message = `Expected a number, a colon and 64 hex digits for --anchor, got "${text}"`
  throw new SkillsError('usage/invalid', message, {
    hint: 'Give what "skills audit verify" printed behind the word anchor',
  })
}
