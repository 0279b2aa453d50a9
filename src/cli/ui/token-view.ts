import type { ChalkInstance } from 'chalk'
import type { SkillTokens, TokenReport } from '../../core/tokens/token-report.ts'
import { toPrintable } from '../../util/printable.ts'
import { formatPlural } from '../../util/quantity.ts'
import { formatTable } from './table.ts'
import { padText, measureWidth } from './text.ts'

export interface TokenPage {
  style: ChalkInstance
  /** Infinity if lines are not wrapped. */
  columns: number
}

/** One row per skill, the largest first, with totals below. */
export function formatTokenTable(
  { skills, totals }: TokenReport,
  { style, columns }: TokenPage,
): string {
  const rows = skills.map((skill) => formatTokenRow(toPrintable(skill.name), skill))
  const all = [...rows, formatTokenRow(formatPlural(skills.length, 'skill'), totals)]
  const widths = [0, 1, 2, 3].map((at) =>
    Math.max(TABLE_HEAD[at]?.length ?? 0, ...all.map((each) => each[at]?.length ?? 0)),
  )
  const aligned = all.map(([...cells]) => [
    ...cells.slice(0, 4).map((cell, at) => cell.padStart(widths[at] ?? 0)),
    cells[4] ?? '',
  ])
  const head = TABLE_HEAD.map((cell, at) => (at < 4 ? cell.padStart(widths[at] ?? 0) : cell))
  return formatTable(aligned, {
    columns,
    head,
    paintHead: style.dim,
    paint: [style.bold, style.cyan, style.green, style.yellow],
  })
}

const TABLE_HEAD = ['Total', 'Overview', 'Body', 'Docs', 'Skill']

function formatTokenRow(
  name: string,
  cost: Pick<SkillTokens, 'total' | 'overview' | 'body' | 'docs'>,
): string[] {
  return [cost.total, cost.overview, cost.body, cost.docs].map(groupDigits).concat(name)
}

/** Tokens of each way to give skills to a model, and the savings of loading on demand. */
export function formatDeliveryCosts({ ways }: TokenReport, { columns }: TokenPage): string {
  const rows = [
    [groupDigits(ways.start), 'the overview alone: the start of every request'],
    [groupDigits(ways.oneSkill), 'the overview and the body of one skill of median size'],
    [
      groupDigits(ways.bodies),
      `all bodies preloaded; loading one saves ${formatPercent(ways.saved.bodies)}`,
    ],
    [
      groupDigits(ways.everything),
      `bodies and documents preloaded; loading one saves ${formatPercent(ways.saved.everything)}`,
    ],
  ]
  const width = Math.max(...rows.map(([number]) => number?.length ?? 0))
  return formatTable(
    rows.map(([number = '', text = '']) => [number.padStart(width), text]),
    { columns },
  )
}

const LAYERS = [
  ['overview', '█', 'cyan'],
  ['body', '▓', 'green'],
  ['docs', '░', 'yellow'],
] as const
const MIN_BAR_COLUMNS = 10
const MAX_NAME_COLUMNS = 32

/** One bar per skill with a segment per layer, distinguished by colour or shade. */
export function formatTokenChart({ skills }: TokenReport, { style, columns }: TokenPage): string {
  const largest = Math.max(1, ...skills.map((skill) => skill.total))
  const numbers = groupDigits(largest).length
  const longest = Math.max(...skills.map(({ name }) => measureWidth(toPrintable(name))))
  const names = Math.min(longest, MAX_NAME_COLUMNS)
  const barColumns = columns - names - numbers - 4
  const below = barColumns < MIN_BAR_COLUMNS
  const room = Math.max(1, below ? columns - numbers - 2 : Math.min(barColumns, 60))
  const lines = skills.flatMap((skill) => {
    const name = toPrintable(skill.name)
    const bar = padText(drawBar(skill, { style, room, most: largest }), room)
    const total = groupDigits(skill.total).padStart(numbers)
    if (below) return [name, `${bar} ${total}`.trimEnd()]
    return [`${padText(shortenName(name, names), names)}  ${bar}  ${total}`]
  })
  const legend = LAYERS.map(([layer, glyph, colour]) => `${style[colour](glyph)} ${layer}`)
  return [...lines, '', legend.join('  ')].join('\n')
}

function drawBar(
  skill: SkillTokens,
  { style, room, most: largest }: { style: ChalkInstance; room: number; most: number },
): string {
  let sum = 0
  let at = 0
  return LAYERS.map(([layer, glyph, colour]) => {
    sum += skill[layer]
    // Rounds positions, not lengths, so that segments add up to the total.
    const end = Math.round((sum / largest) * room)
    const piece = glyph.repeat(end - at)
    at = end
    return piece === '' ? '' : style[colour](piece)
  }).join('')
}

function shortenName(name: string, width: number): string {
  return measureWidth(name) <= width ? name : `${name.slice(0, width - 1)}…`
}

function groupDigits(number: number): string {
  return String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

function formatPercent(part: number): string {
  return `${(part * 100).toFixed(1)} %`
}
