import { describeEscapes, MAX_ESCAPE_TEXT } from '../../../util/text/terminal-escapes.ts'
import { createView, type TextView } from './text-views.ts'

/** Bytes of invisible text inside of a secret that is split between chunks. */
export const MAX_INVISIBLE = 4 * MAX_ESCAPE_TEXT

const ESCAPES = describeEscapes({ c1: '\\xc2\\x9b', end: '\\xc2\\x9c' })
/** Control characters but tab and line feed. */
const CONTROLS = '[\\x00-\\x08\\x0b-\\x1f\\x7f]|\\xc2[\\x80-\\x9f]'
/** Characters without a width, in UTF-8: joiners, marks of direction, selectors, soft hyphens. */
const ZERO_WIDTH = [
  '\\xc2\\xad',
  '\\xcd\\x8f',
  '\\xd8\\x9c',
  '\\xe1\\xa0\\x8e',
  '\\xe2\\x80[\\x8b-\\x8f\\xaa-\\xae]',
  '\\xe2\\x81[\\xa0-\\xaf]',
  '\\xef\\xb8[\\x80-\\x8f]',
  '\\xef\\xbb\\xbf',
  '\\xf3\\xa0[\\x80-\\x87][\\x80-\\xbf]',
].join('|')

const INVISIBLE = new RegExp(`${ESCAPES}|${CONTROLS}|${ZERO_WIDTH}`, 'g')
const SOME_INVISIBLE = new RegExp(`${CONTROLS}|${ZERO_WIDTH}`)
/** The beginning of such text at the end of the bytes so far. */
const PARTIAL = new RegExp(
  [
    `\\x1b[\\]PX^_][^\\x07\\x1b\\n]{0,${MAX_ESCAPE_TEXT}}(?:\\x1b|\\xc2)?`,
    '(?:\\x1b\\[|\\xc2\\x9b)[0-?]*[ -/]*',
    '\\x1b[ -/]*',
    '\\xe1\\xa0?|\\xe2[\\x80\\x81]?|\\xef[\\xb8\\xbb]?|\\xf3(?:\\xa0[\\x80-\\x87]?)?|[\\xc2\\xcd\\xd8]',
  ]
    .map((each) => `(?:${each})$`)
    .join('|'),
)

/** True if bytes of UTF-8 have invisible text, which later steps may remove. */
export function hasInvisible(bytes: string): boolean {
  return SOME_INVISIBLE.test(bytes)
}

/** The bytes without control sequences, control characters and characters without a width. */
export function dropInvisible(bytes: string): TextView {
  return createView(bytes, INVISIBLE, () => '')
}

/** Index of incomplete invisible text at the end; the length of the bytes if there is none. */
export function findPartialInvisible(bytes: string): number {
  return PARTIAL.exec(bytes)?.index ?? bytes.length
}
