import {
  DIFFERENCE_CLASSES,
  type DifferenceSeverity,
  type SkillDifference,
} from '../../core/comparing/difference.ts'
import { fenceText, findLongestRun } from '../../util/reports/markdown.ts'
import { formatCount } from '../ui/text.ts'
import { describeChange, describeConclusion, describePlace } from './describe-difference.ts'
import type { DiffReporter } from './diff-reporter.ts'
import { CLASS_TITLES, DIFFERENCE_TITLES } from './titles.ts'
import { toVisible, toVisibleLine } from './visible.ts'

/** GitHub refuses a comment with more than 65,536 characters. */
const MAX_COMMENT = 60_000
const MARKS: Readonly<Record<DifferenceSeverity, string>> = {
  danger: '🛑 danger',
  major: '🔴 major',
  minor: '🟡 minor',
  patch: '⚪ patch',
}

/** All texts of the skills stand in code, so that nothing in them is a link, a mention or HTML. */
export const markdownReporter: DiffReporter = {
  name: 'markdown',
  summary: 'a comment for a pull request',
  render(comparison) {
    const { differences, before, after } = comparison
    const name = after.name === '' ? before.name : after.name
    const head = `## ${toCode(name)}: ${differences.length === 0 ? 'no differences' : formatCount(differences.length, 'difference')}`
    const labels =
      differences.length === 0 ? [] : [`${toCode(before.label)} → ${toCode(after.label)}`]
    const conclusion = describeConclusion(comparison).map((each) => `- ${toProse(each)}`)
    const rows = renderRows(differences)
    const texts = differences.flatMap(renderText)
    return joinBounded([head, ...labels, conclusion.join('\n'), ...rows], texts)
  },
}

/** One table per class. */
function renderRows(differences: readonly SkillDifference[]): string[] {
  return DIFFERENCE_CLASSES.flatMap((name) => {
    const found = differences.filter((each) => each.class === name)
    if (found.length === 0) return []
    const rows = found.map((each) => {
      const change = describeChange(each)
      const cells = [
        MARKS[each.severity],
        `${DIFFERENCE_TITLES[each.code]}: ${toCell(each.subject)}${change === '' ? '' : ` (${toCell(change)})`}`,
        toCell(describePlace(each)),
      ]
      return `| ${cells.join(' | ')} |`
    })
    return [
      `### ${CLASS_TITLES[name]}`,
      ['| | difference | place |', '|---|---|---|', ...rows].join('\n'),
    ]
  })
}

/** The changed lines of a text, folded. */
function renderText({ subject, hunks = [], linesLeftOut = 0 }: SkillDifference): string[] {
  if (hunks.length === 0) return []
  const lines = hunks.flatMap(({ beforeLine, afterLine, lines: changed }) => [
    `@@ -${beforeLine} +${afterLine} @@`,
    ...changed.map(
      ({ kind, segments }) => `${kind}${toVisibleLine(segments.map(({ text }) => text).join(''))}`,
    ),
  ])
  const rest =
    linesLeftOut > 0 ? [`${formatCount(linesLeftOut, 'more changed line')} left out`] : []
  return [
    `<details><summary>Changed lines of <code>${escapeHtml(toVisible(subject))}</code></summary>\n\n${fenceText(lines.join('\n'), 'diff')}\n\n${rest.join('')}</details>`,
  ]
}

/** Leaves out whole parts, so that no fence or table stays open. */
function joinBounded(parts: readonly string[], texts: readonly string[]): string {
  const kept: string[] = []
  let length = 0
  let left = 0
  for (const part of [...parts, ...texts]) {
    if (part === '') continue
    const pieces =
      length + part.length > MAX_COMMENT ? shortenTable(part, MAX_COMMENT - length) : part
    if (pieces === undefined) left += 1
    else {
      kept.push(pieces)
      length += pieces.length + 2
      if (pieces !== part) left += 1
    }
  }
  if (left > 0)
    kept.push(
      `${formatCount(left, 'part')} of this report left out or shortened: it is too long for a comment`,
    )
  return kept.join('\n\n')
}

/** The first rows of a table that fit; undefined for other parts. */
function shortenTable(part: string, room: number): string | undefined {
  if (!part.startsWith('| | ')) return undefined
  const lines = part.split('\n')
  let length = 0
  const count = lines.findIndex((line) => (length += line.length + 1) > room)
  return count > 2 ? lines.slice(0, count).join('\n') : undefined
}

/** A code span: its fence is longer than any run of backticks inside. */
function toCode(text: string): string {
  const shown = toVisible(text)
  if (shown === '') return ''
  const fence = '`'.repeat(findLongestRun(shown) + 1)
  const blank = /^`|`$/.test(shown) ? ' ' : ''
  return `${fence}${blank}${shown}${blank}${fence}`
}

/** A code span in a table, whose cells end at a bar even in code. */
function toCell(text: string): string {
  return toCode(text).replaceAll('|', '\\|')
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** A sentence; in code if a word of the skill in it could be a link, a mention or markup. */
function toProse(sentence: string): string {
  const isPlain = /^[A-Za-z0-9 ,;.→-]*$/.test(sentence) && !/www\./i.test(sentence)
  return isPlain ? sentence : toCode(sentence)
}
