/**
 * Makes untrusted text safe for a terminal: characters that move the cursor, change colours, hide
 * or reorder text are shown as their code. Line breaks and tabs become spaces.
 */
export function toPrintable(text: string): string {
  // Fast path: nearly all text is plain words with single spaces.
  if (/^[!-~]+(?: [!-~]+)*$/.test(text)) return text
  return toPrintableLines(text).replace(/\s+/g, ' ').trim()
}

/** The same, keeping line feeds. */
export function toPrintableLines(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/\t/g, '  ')
    .replace(UNSAFE_CHARACTERS, (character) => `\\u${formatCodePoint(character.charCodeAt(0))}`)
}

/**
 * C0 except line feed, DEL, C1, zero-width and direction marks, line separators, lone surrogates.
 */
const UNSAFE_CHARACTERS =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

function formatCodePoint(code: number): string {
  return code.toString(16).padStart(4, '0')
}
