/** Characters of a text that are processed in one step. */
export const PIECE_CHARS = 64 * 1024

/** Splits a text into pieces of whole characters. */
export function* splitText(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + PIECE_CHARS, text.length)
    const last = text.charCodeAt(end - 1)
    // A surrogate pair is one character.
    if (last >= 0xd800 && last <= 0xdbff && end < text.length) end += 1
    yield text.slice(start, end)
    start = end
  }
}
