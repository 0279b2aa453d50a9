import type { ChainLink } from '../../core/audit/chain.ts'
import type { VerifyAuditLogResult } from '../../core/methods/verify-audit-log/definition.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { openHandle } from '../access/open-handle.ts'
import { checkRemoteOptions } from '../access/remote-options.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { formatPlural } from '../../util/quantity.ts'
import { readAnchors } from './read-anchors.ts'

const EXIT_FINDINGS = 1

/** `skills audit verify`. */
export async function verifyAuditLog(context: Context, call: CommandLine): Promise<number> {
  if (call.options['fleet'] !== undefined) return await verifyAuditOfFleet(context, call)
  const anchors = readAnchors(call, 'skills audit verify').map(
    ({ number: seq, hash }): ChainLink => ({ seq, hash }),
  )
  const handle = await openHandle(context, call)
  const report = await handle.call('verify_audit_log', { anchors })
  if (context.global.json) context.document('skills.audit-report/v1', report)
  else showAuditReport(context, report)
  return report.ok ? 0 : EXIT_FINDINGS
}

async function verifyAuditOfFleet(context: Context, call: CommandLine): Promise<number> {
  if (getTextOption(call, 'url') !== undefined) {
    throw new SkillsError('usage/invalid', '--fleet and --url select different audits', {
      hint: 'Use --fleet for the chains of all nodes, or --url for the log of one server',
    })
  }
  checkRemoteOptions(call, undefined)
  const { verifyFleet } = await import('../fleet/audit/verify.ts')
  return await verifyFleet(context, call)
}

function showAuditReport(context: Context, report: VerifyAuditLogResult): void {
  const { style } = context
  for (const { code, place, sentence } of report.problems) {
    const location = place === undefined ? '' : `${place}: `
    context.print(`${style.red(toPrintable(code))} ${toPrintable(location + sentence)}`)
  }
  const { records, files, removed, repaired, ends_torn: endsTorn, last, problems } = report
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
