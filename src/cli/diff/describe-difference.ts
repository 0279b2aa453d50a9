import type { SkillComparison } from '../../core/comparing/compare-skills.ts'
import type { SkillDifference } from '../../core/comparing/difference.ts'
import { formatCount } from '../ui/text.ts'
import type { DiffReportOptions } from './diff-reporter.ts'
import { CLASS_TITLES, DIFFERENCE_TITLES } from './titles.ts'
import { toVisible } from './visible.ts'

/** One line about a difference: the statement, its subject, and both values. */
export function describeDifference(
  difference: Pick<SkillDifference, 'code' | 'subject' | 'before' | 'after'>,
): string {
  const { code, subject } = difference
  const change = describeChange(difference)
  return `${DIFFERENCE_TITLES[code]}: ${toVisible(subject)}${change === '' ? '' : ` (${change})`}`
}

/** Both values, if they say more than the subject. */
export function describeChange({
  subject,
  before,
  after,
}: Pick<SkillDifference, 'subject' | 'before' | 'after'>): string {
  const shown = [before, after].map((value) => (value === undefined ? undefined : toVisible(value)))
  const [was, is] = shown
  if (was !== undefined && is !== undefined) return `${was} → ${is}`
  const only = was ?? is
  return only === undefined || only === toVisible(subject) ? '' : only
}

/** `path:line:column` of a difference; empty without a place. */
export function describePlace({ place }: SkillDifference): string {
  if (!place) return ''
  const { path, start, side } = place
  const position = start ? `:${start.line}:${start.column}` : ''
  return `${toVisible(path)}${position}${side === 'before' ? ' (before)' : ''}`
}

/** Sentences about the version, the rights, and the parts that are not shown. */
export function describeConclusion(
  comparison: SkillComparison,
  { hidesStep = false }: Pick<DiffReportOptions, 'hidesStep'> = {},
): string[] {
  const { version, widensCapabilities, leftOut, omissions, differences } = comparison
  if (differences.length === 0 && omissions.length === 0) return ['The skills are the same']
  return [
    ...(hidesStep || version.needed === 'none' ? [] : [describeVersion(comparison)]),
    ...(widensCapabilities ? ['The skill may do more than before, so it needs a new consent'] : []),
    ...leftOut.map(
      ({ class: name, count }) =>
        `${formatCount(count, 'more difference')} of the class "${CLASS_TITLES[name]}" left out`,
    ),
    ...omissions.map((each) => toVisible(each)),
  ]
}

function describeVersion({ version }: SkillComparison): string {
  const { needed, before, after, suggested, isEnough } = version
  const step = `Suggested step of the version: ${needed}`
  if (suggested === undefined || before === undefined) {
    return `${step}; there is no version before to compare with`
  }
  const [old, now] = [toVisible(before), toVisible(after ?? 'none')]
  const written = old === now ? `${old} has not changed` : `${old} → ${now}`
  if (isEnough === true) return `${step}; ${written} is enough`
  return `${step}; ${written}, expected at least ${toVisible(suggested)}`
}
