/** Index (IND): moves the cursor down one line without returning to column one. */
const INDEX_SEQUENCE = '\u001bD'

/**
 * For a terminal that moves to column one at each line feed, which Node cannot turn off. Keeps CR
 * LF, and turns a lone line feed into a plain downward move, as full-screen programs expect.
 */
export function createLineFeedFilter(): (chunk: Buffer) => Buffer {
  let wasReturn = false
  return (chunk) => {
    const text = chunk.toString('latin1')
    const shown = text.replaceAll(/\r?\n/g, (found, at: number) => {
      const isEnd = found === '\r\n' || (at === 0 && wasReturn)
      return isEnd ? '\n' : INDEX_SEQUENCE
    })
    wasReturn = text.endsWith('\r')
    return Buffer.from(shown, 'latin1')
  }
}
