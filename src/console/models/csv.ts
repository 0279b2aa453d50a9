/** Rows of a table in CSV or TSV. */
export interface TableText {
  rows: string[][]
  /** True if there are further rows. */
  isCut: boolean
}

/** Parses quoted fields, doubled quotes and both line endings, up to a number of rows. */
export function parseTable(text: string, separator: ',' | '\t', maxRows: number): TableText {
  const rows: string[][] = []
  let row: string[] = []
  let field = ''
  let isQuoted = false
  const endField = () => {
    row.push(field)
    field = ''
  }
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string
    if (isQuoted) {
      if (character !== '"') field += character
      else if (text[at + 1] === '"') {
        field += '"'
        at += 1
      } else isQuoted = false
    } else if (character === '"' && field === '') isQuoted = true
    else if (character === separator) endField()
    else if (character === '\n') {
      endField()
      if (rows.length === maxRows) return { rows, isCut: true }
      rows.push(row)
      row = []
    } else if (character !== '\r' || text[at + 1] !== '\n') field += character
  }
  if (field !== '' || row.length > 0) {
    endField()
    if (rows.length === maxRows) return { rows, isCut: true }
    rows.push(row)
  }
  return { rows, isCut: false }
}
