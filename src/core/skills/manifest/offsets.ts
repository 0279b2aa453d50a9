/** UTF-16 offset of a line and column, both counted from 1, limited to the text's length. */
export function toOffset(text: string, line: number, column: number): number {
  let start = 0
  for (let at = 1; at < line; at++) {
    const next = text.indexOf('\n', start)
    if (next === -1) return text.length
    start = next + 1
  }
  return Math.min(start + column - 1, text.length)
}
