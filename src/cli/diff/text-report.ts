import type { SkillComparison } from '../../core/comparing/compare-skills.ts'
import {
  DIFFERENCE_CLASSES,
  type DifferenceSeverity,
  type SkillDifference,
} from '../../core/comparing/difference.ts'
import type { HunkLine } from '../../core/comparing/text-hunks.ts'
import { formatCount, wrapLines } from '../ui/text.ts'
import { describeConclusion, describeDifference, describePlace } from './describe-difference.ts'
import type { DiffReporter, DiffReportOptions } from './diff-reporter.ts'
import { CLASS_TITLES } from './titles.ts'
import { toVisible, toVisibleLine } from './visible.ts'

export const textReporter: DiffReporter = {
  name: 'text',
  summary: 'differences by class, for people',
  render(comparison, options) {
    const parts = [
      renderHeading(comparison, options),
      ...DIFFERENCE_CLASSES.flatMap((name) => {
        const found = comparison.differences.filter((each) => each.class === name)
        if (found.length === 0) return []
        const heading = options.style.bold(CLASS_TITLES[name])
        return [[heading, ...found.flatMap((each) => renderDifference(each, options))].join('\n')]
      }),
      describeConclusion(comparison, options).join('\n'),
    ]
    const text = parts.filter((part) => part !== '').join('\n\n')
    return options.columns === Infinity ? text : wrapLines(text, options.columns)
  },
}

function renderHeading(
  { before, after, differences }: SkillComparison,
  { style }: DiffReportOptions,
): string {
  if (differences.length === 0) return ''
  const name = toVisible(after.name === '' ? before.name : after.name)
  const versions = [before.version, after.version].map((each) => toVisible(each ?? 'no version'))
  const shown = versions[0] === versions[1] ? versions[0] : versions.join(' → ')
  const labels = `${toVisible(before.label)} → ${toVisible(after.label)}`
  return `${style.bold(name)} ${shown}\n${style.dim(labels)}`
}

const WIDTH = 'danger'.length

function renderDifference(difference: SkillDifference, options: DiffReportOptions): string[] {
  const { severity, hunks = [], linesLeftOut = 0 } = difference
  const { style } = options
  const label = paintSeverity(severity, severity.padEnd(WIDTH), style)
  const place = describePlace(difference)
  const indent = ' '.repeat(WIDTH + 4)
  const shows = hunks.length > 0 && difference.code !== 'instructions/removed'
  return [
    `  ${label}  ${describeDifference(difference)}`,
    ...(place === '' || place === toVisible(difference.subject)
      ? []
      : [style.dim(`${indent}${place}`)]),
    ...(shows
      ? hunks.flatMap(({ afterLine, lines }) => [
          style.dim(`${indent}line ${afterLine}`),
          ...lines.map((line) => `${indent}${renderLine(line, options)}`),
        ])
      : []),
    ...(linesLeftOut > 0
      ? [`${indent}${formatCount(linesLeftOut, 'more changed line')} left out`]
      : []),
  ]
}

function paintSeverity(
  severity: DifferenceSeverity,
  text: string,
  style: DiffReportOptions['style'],
): string {
  if (severity === 'danger') return style.red.bold(text)
  if (severity === 'major') return style.red(text)
  return severity === 'minor' ? style.yellow(text) : style.dim(text)
}

/** Without colours, changed words have the marks of `git diff --word-diff`. */
function renderLine({ kind, segments }: HunkLine, { style, hasColors }: DiffReportOptions): string {
  const paint = kind === '-' ? style.red : kind === '+' ? style.green : style.dim
  const parts = segments.map(({ text, isChanged }) => {
    const shown = toVisibleLine(text)
    if (!isChanged) return paint(shown)
    if (hasColors) return paint.bold.underline(shown)
    return kind === '-' ? `[-${shown}-]` : `{+${shown}+}`
  })
  return `${paint(kind)} ${parts.join('')}`
}
