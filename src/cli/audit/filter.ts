import type { AuditEvent } from '../../core/audit/audit-record.ts'
import type { AuditFilter } from '../../core/audit/filter-records.ts'
import { SkillsError } from '../../errors.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import { readTimeOption } from '../store/time-option.ts'

/** Reads the record filter of a command line. */
export function readAuditFilter(call: CommandLine, now: number = Date.now()): AuditFilter {
  const event = getTextOption(call, 'event') as AuditEvent | undefined
  if (getFlagOption(call, 'denied') && event !== undefined && event !== 'denied') {
    throw new SkillsError('usage/invalid', `--denied cannot be combined with --event ${event}`, {
      hint: 'Remove one of them',
    })
  }
  return {
    event: getFlagOption(call, 'denied') ? 'denied' : event,
    kind: getTextOption(call, 'kind'),
    layer: getTextOption(call, 'layer'),
    code: getTextOption(call, 'code'),
    caller: getTextOption(call, 'caller'),
    repository: getTextOption(call, 'repo'),
    skill: getTextOption(call, 'skill'),
    language: getTextOption(call, 'language'),
    rule: getTextOption(call, 'rule'),
    run: getTextOption(call, 'run'),
    hash: getTextOption(call, 'hash'),
    since: readTimeOption(call, 'since', now),
    until: readTimeOption(call, 'until', now),
  }
}
