import type { ChainLink } from '../../core/audit/chain.ts'
import type { RunLink } from '../../core/audit/record-digests.ts'
import { verifyAudit, type AuditReport } from '../../core/audit/verify-audit.ts'
import { digestRecord } from '../../core/runs/history/digest-record.ts'
import type { RunStore } from '../../core/runs/history/run-store.ts'
import { SkillsError } from '../../errors.ts'
import { getListOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { formatPlural } from '../store/plural.ts'

const EXIT_FINDINGS = 1
const RUNS_PER_PAGE = 500

/** `skills audit verify`. */
export async function verifyAuditLog(context: Context, call: CommandLine): Promise<number> {
  const anchors = getListOption(call, 'anchor').map(readAnchor)
  const runtime = await openRuntime(context)
  const runs = await listRunLinks(await runtime.runs())
  const report = await verifyAudit(await runtime.auditSource(), anchors, runs)
  const ok = report.problems.length === 0
  if (context.global.json) {
    const { endsTorn: ends_torn, ...facts } = report
    context.document('skills.audit-report/v1', { ok, ...facts, ends_torn })
  } else showAuditReport(context, report)
  return ok ? 0 : EXIT_FINDINGS
}

/** Audit positions of all runs that have a record, and the digests of the complete ones. */
async function listRunLinks(store: RunStore): Promise<RunLink[]> {
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

function showAuditReport(context: Context, report: AuditReport): void {
  const { style } = context
  for (const { code, place, sentence } of report.problems) {
    context.print(`${style.red(code)} ${place === undefined ? '' : `${place}: `}${sentence}`)
  }
  const { records, files, removed, repaired, endsTorn, last, problems } = report
  const size = `${formatPlural(records, 'record')} in ${formatPlural(files, 'file')}`
  if (problems.length === 0) context.print(`${style.green('intact')} ${size}`)
  else
    context.print(`${style.red('not intact')} ${size}, ${formatPlural(problems.length, 'problem')}`)
  if (removed > 0)
    context.note(
      `${formatPlural(removed, 'older record')} expired; the chain continues from the last of them`,
    )
  if (repaired > 0) {
    context.note(
      `Crashes left ${formatPlural(repaired, 'incomplete record')}, which ${repaired > 1 ? 'were' : 'was'} truncated`,
    )
  }
  if (endsTorn)
    context.note('The last record is incomplete: a crash interrupted it, or it is being written')
  if (last && problems.length === 0) context.print(`anchor ${last.seq}:${last.hash}`)
}

function readAnchor(text: string): ChainLink {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? []
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash }
  const message = `Expected a number, a colon and 64 hex digits for --anchor, got "${text}"`
  throw new SkillsError('usage/invalid', message, {
    hint: 'Use the text that "skills audit verify" printed after "anchor"',
  })
}
