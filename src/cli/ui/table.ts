import { padText, measureWidth, wrapText } from './text.ts'

export interface TableOptions {
  /** Width limit of the table; unlimited if output is not wrapped. */
  columns: number
  /** Colour functions by column, applied after measuring. */
  paint?: readonly (((text: string) => string) | undefined)[]
  head?: readonly string[]
  paintHead?: (text: string) => string
}

const COLUMN_GAP = 2
/** A narrower last column moves below its row. */
const MIN_LAST_COLUMN = 16

/**
 * Aligned columns separated by spaces. Only the last column wraps; if it does not fit, it goes
 * below the row, indented.
 */
export function formatTable(rows: readonly (readonly string[])[], options: TableOptions): string {
  const all = options.head ? [options.head, ...rows] : rows
  const widths = measureColumns(all)
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + COLUMN_GAP, 0)
  const room = options.columns - before
  const lastWidth = widths.at(-1) ?? 0
  const below = room < Math.min(lastWidth, MIN_LAST_COLUMN)
  const shown = all.map((row, index) => {
    const isHead = options.head !== undefined && index === 0
    if (isHead && below) return undefined
    const paint = (text: string, column: number): string =>
      isHead ? (options.paintHead?.(text) ?? text) : (options.paint?.[column]?.(text) ?? text)
    return below
      ? formatStackedRow(row, { columns: options.columns, paint })
      : formatAlignedRow(row, { widths, room, before, paint })
  })
  return shown.filter((row) => row !== undefined).join('\n')
}

type PaintCell = (text: string, column: number) => string

function formatAlignedRow(
  row: readonly string[],
  layout: { widths: readonly number[]; room: number; before: number; paint: PaintCell },
): string {
  const last = row.length - 1
  const cells = row.slice(0, last).map((cell, column) => {
    const filler = ' '.repeat(
      Math.max(0, (layout.widths[column] ?? 0) - measureWidth(cell)) + COLUMN_GAP,
    )
    return layout.paint(cell, column) + filler
  })
  const lines = wrapText(row[last] ?? '', layout.room).map((line) => layout.paint(line, last))
  const indent = padText('', layout.before)
  return lines
    .map((line, index) => (index === 0 ? cells.join('') : indent) + line)
    .map((line) => line.trimEnd())
    .join('\n')
}

function formatStackedRow(
  row: readonly string[],
  layout: { columns: number; paint: PaintCell },
): string {
  const last = row.length - 1
  const first = row
    .slice(0, last)
    .map((cell, column) => layout.paint(cell, column))
    .filter((cell) => cell !== '')
    .join(' '.repeat(COLUMN_GAP))
  const text = row[last] ?? ''
  const head = wrapText(first, layout.columns)
  if (text === '') return head.join('\n')
  const lines = wrapText(text, layout.columns - COLUMN_GAP).map(
    (line) => `  ${layout.paint(line, last)}`,
  )
  return [...head, ...lines].join('\n')
}

function measureColumns(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = []
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, measureWidth(cell))
    })
  }
  return widths
}
