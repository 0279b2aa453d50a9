import type { AuditEvent } from '../../core/audit/audit-record.ts'
import type { ListAuditRecordsParams } from '../../core/methods/list-audit-records/definition.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import { readTimeOption } from '../store/time-option.ts'

/** Reads the record filter of a command line. */
export function readAuditFilter(
  call: CommandLine,
  now: number = Date.now(),
): ListAuditRecordsParams {
  const event = getTextOption(call, 'event') as AuditEvent | undefined
  if (getFlagOption(call, 'denied') && event !== undefined && event !== 'denied') {
    throw new SkillsError('usage/invalid', `--denied cannot be combined with --event ${event}`, {
      hint: 'Remove one of them',
    })
  }
  const [since, until] = ['since', 'until'].map((name) => readTimeOption(call, name, now))
  return {
    event: getFlagOption(call, 'denied') ? 'denied' : event,
    kind: getTextOption(call, 'kind') as ListAuditRecordsParams['kind'],
    layer: getTextOption(call, 'layer') as ListAuditRecordsParams['layer'],
    code: getTextOption(call, 'code'),
    caller: getTextOption(call, 'caller'),
    repository: getTextOption(call, 'repo'),
    skill: getTextOption(call, 'skill'),
    language: getTextOption(call, 'language'),
    rule: getTextOption(call, 'rule'),
    run: getTextOption(call, 'run'),
    hash: getTextOption(call, 'hash'),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
  }
}
