import { toPrintable, toPrintableLines } from '../../util/printable.ts'

/** Characters that are invisible on a terminal and in a browser, beyond those of toPrintable. */
const INVISIBLE =
  /\p{Default_Ignorable_Code_Point}(?<![\uFE00-\uFE0F])|[\uFFF9-\uFFFB]|[\uFE00-\uFE0F]{2,}/gu

function spellInvisible(text: string): string {
  return text.replace(INVISIBLE, (marks) =>
    [...marks].map((mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`).join(''),
  )
}

/** Untrusted text on one line, in which every invisible character is spelt. */
export function toVisible(text: string): string {
  return toPrintable(spellInvisible(text))
}

/** The same for a line of a file, whose blanks are kept. */
export function toVisibleLine(text: string): string {
  return toPrintableLines(spellInvisible(text)).replaceAll('\n', ' ')
}
