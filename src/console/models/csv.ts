/** Rows of a table in CSV or TSV. */
export interface TableText {
  rows: string[][]
  /** True if there are further rows. */
  isCut: boolean
}

/** One field, quoted or not, and the separator or line end after it. */
const FIELDS = {
  ',': /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|\r|$)/y,
  '\t': /(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r?\n|\r|$)/y,
} as const

/**
 * Parses quoted fields, doubled quotes and both line endings, up to a number of rows. A quote that
 * nothing closes is part of its field.
 */
export function parseTable(text: string, separator: ',' | '\t', maxRows: number): TableText {
  const pattern = new RegExp(FIELDS[separator])
  const rows: string[][] = []
  let row: string[] = []
  for (let at = 0; at < text.length;) {
    const { field, end, next } = readField(text, at, pattern)
    at = next
    row.push(field)
    if (end === separator) {
      if (at === text.length) row.push('')
      else continue
    }
    if (rows.length === maxRows) return { rows, isCut: true }
    rows.push(row)
    row = []
  }
  return { rows, isCut: false }
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
