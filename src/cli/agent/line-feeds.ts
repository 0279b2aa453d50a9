/** Moves down a line, and nowhere else. */
const INDEX_SEQUENCE = '\u001bD'

/**
 * For a terminal that goes to the first column at each line feed, which Node cannot turn off: line
 * ends stay line ends, and a line feed alone only moves down, as full-screen programs mean it.
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
