/** Characters of the longest title, link or other text inside of a sequence. */
export const MAX_ESCAPE_TEXT = 4096

/**
 * The source of a regular expression for control sequences of terminals, also if their end was cut.
 * `c1` and `end` are the one-character forms of `ESC [` and `ESC \`: two bytes in UTF-8.
 */
export function describeEscapes({ c1, end }: { c1: string; end: string }): string {
  const text = `\\x1b[\\]PX^_][^\\x07\\x1b\\n]{0,${MAX_ESCAPE_TEXT}}(?:\\x07|\\x1b\\\\|${end})`
  const control = `(?:\\x1b\\[|${c1})[0-?]*[ -/]*[@-~]?`
  return `${text}|${control}|\\x1b[ -/]*[0-~]?`
}
