import { formatTable } from './table.ts'
import { measureWidth, wrapText } from './text.ts'

/** Cells of a Markdown table, head first; undefined if the text is not a table. */
export function parseTableRows(source: string): string[][] | undefined {
  const lines = source.split('\n').map((line) => line.trim())
  const [head = '', ruler = ''] = lines
  if (!head.includes('|') || !/^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$/.test(ruler))
    return undefined
  if (!ruler.includes('|')) return undefined
  const rows = [head, ...lines.slice(2)].map(splitCells)
  return rows[0]?.length === splitCells(ruler).length ? rows : undefined
}

/** Splits at bars; an escaped bar is text, also inside code. */
function splitCells(line: string): string[] {
  const inner = line.replace(/^\|/, '').replace(/(?<!\\)\|$/, '')
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
}

const COLUMN_GAP = 2
/** Below this width of the last column, a list is easier to read. */
const MIN_LAST_COLUMN = 16

/** Renders rows as a table if it fits, else as one short list per row. */
export function renderTableRows(
  rows: readonly (readonly string[])[],
  { columns, paintHead }: { columns: number; paintHead: (text: string) => string },
): string[] {
  const [head = [], ...body] = rows
  const widths = head.map((_, at) => Math.max(...rows.map((row) => measureWidth(row[at] ?? ''))))
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + COLUMN_GAP, 0)
  if (columns - before >= Math.min(widths.at(-1) ?? 0, MIN_LAST_COLUMN)) {
    const full = body.map((row) => [...row, ...head.slice(row.length).map(() => '')])
    return formatTable(full, { columns, head, paintHead }).split('\n')
  }
  return body.flatMap((row, index) => {
    const lines = row.flatMap((cell, at) => {
      if (cell === '') return []
      const label = head[at] ? `${paintHead(head[at])}: ` : ''
      return wrapText(label + cell, columns - COLUMN_GAP).map((line, part) =>
        part === 0 ? line : `  ${line}`,
      )
    })
    return index === 0 ? lines : ['', ...lines]
  })
}
