import type { AuditEvent } from '../../core/audit/audit-record.ts'
import type { AuditFilter } from '../../core/audit/filter-records.ts'
import { SkillsError } from '../../errors.ts'
import { parseDuration } from '../../util/quantity.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'

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
    since: readTime(call, 'since', now),
    until: readTime(call, 'until', now),
  }
}

/** Reads a date, a time, or a duration before now. */
function readTime(call: CommandLine, name: string, now: number): number | undefined {
  const text = getTextOption(call, name)
  if (text === undefined) return undefined
  const ago = /^\d+(?:\.\d+)?\s*[a-z]+$/i.test(text) ? parseDuration(text) : undefined
  if (ago !== undefined) return now - ago
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return time
  const message = `Expected a date or a duration for --${name}, got "${text}"`
  throw new SkillsError('usage/invalid', message, {
    hint: `Write it as --${name} 2026-11-21, --${name} 2026-11-21T08:00:00Z or --${name} 2h`,
  })
}
