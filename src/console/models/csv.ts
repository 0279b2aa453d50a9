/** Rows of a table in CSV or TSV. */
export interface TableText {
  rows: string[][]
  /** True if there are further rows. */
  isCut: boolean
  /** True if rows have further columns. */
  isNarrowed: boolean
}

interface TableLimits {
  maxRows: number
  maxColumns: number
}

/** One field, quoted or not, and the separator or line end after it. */
const FIELDS = {
  ',': /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|\r|$)/y,
  '\t': /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r?\n|\r|$)/y,
} as const

/**
 * Parses quoted fields, doubled quotes and both line endings, up to a number of rows and columns. A quote that
 * nothing closes is part of its field.
 */
export function parseTable(
  text: string,
  separator: ',' | '\t',
  { maxRows, maxColumns }: TableLimits,
): TableText {
  const pattern = new RegExp(FIELDS[separator])
  const rows: string[][] = []
  let row: string[] = []
  let isNarrowed = false
  const add = (field: string) => {
    if (row.length < maxColumns) row.push(field)
    else isNarrowed = true
  }
  for (let at = 0; at < text.length;) {
    const { field, end, next } = readField(text, at, pattern)
    at = next
    add(field)
    if (end === separator) {
      if (at === text.length) add('')
      else continue
    }
    if (rows.length === maxRows) return { rows, isCut: true, isNarrowed }
    rows.push(row)
    row = []
  }
  return { rows, isCut: false, isNarrowed }
}

// eslint-disable-next-line max-params -- the text, the place and the pattern
function readField(
  text: string,
  at: number,
  pattern: RegExp,
): { field: string; end: string; next: number } {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  if (found) {
    const [, quoted, plain = '', end = ''] = found
    return { field: quoted?.replaceAll('""', '"') ?? plain, end, next: pattern.lastIndex }
  }
  // Text after a closing quote, or a quote that is not closed: the rest of the line is the field.
  const line = text.indexOf('\n', at)
  const stop = line === -1 ? text.length : line
  return { field: text.slice(at, stop), end: '\n', next: Math.min(text.length, stop + 1) }
}
