import { BEFORE_LONG_STEP, type Steps } from './run-in-slices.ts'
import { PIECE_CHARS } from './split-text.ts'

/**
 * Copies a text that was concatenated from pieces into one piece of memory. V8 otherwise does so at
 * the first access to a character, in the middle of other work.
 */
export function* flattenText(text: string): Steps<string> {
  if (text.length <= PIECE_CHARS) return text
  yield BEFORE_LONG_STEP
  text.charCodeAt(0)
  yield BEFORE_LONG_STEP
  return text
}
