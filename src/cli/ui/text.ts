import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Columns that a text takes on a terminal; colours take none. */
export function measureWidth(text: string): number {
  // Most text is plain, and the tables of wide characters take longer to load than to print a list.
  if (/^[\u0020-\u007E]*$/.test(text)) return text.length
  return (require('fast-string-width') as typeof import('fast-string-width')).default(text)
}

/**
 * Breaks text at words so that no line is wider than `columns`. A word that is wider stays whole, on a
 * line of its own: a path or a command that is cut cannot be copied. Scripts without blanks are cut.
 */
export function wrapText(text: string, columns: number): readonly string[] {
  if (columns === Infinity) return text.split('\n')
  if (measureWidth(text) <= columns && !text.includes('\n')) return [text]
  const width = Math.max(8, columns)
  const { wrapAnsi } = require('fast-wrap-ansi') as typeof import('fast-wrap-ansi')
  return wrapAnsi(text, width, { trim: true })
    .split('\n')
    .flatMap((line) =>
      UNSPACED_SCRIPTS.test(line) && measureWidth(line) > width
        ? wrapAnsi(line, width, { hard: true, trim: true }).split('\n')
        : [line],
    )
}

const UNSPACED_SCRIPTS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}]/u

/** Breaks lines that are too wide at words, keeping their indentation; other lines stay as they are. */
export function wrapLines(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (measureWidth(line) <= columns) return [line]
      const indent = /^ */.exec(line)?.[0] ?? ''
      const parts = wrapText(
        line.slice(indent.length),
        columns - indent.length - CONTINUATION_COLUMNS,
      )
      return parts.map(
        (part, index) => indent + (index === 0 ? '' : ' '.repeat(CONTINUATION_COLUMNS)) + part,
      )
    })
    .join('\n')
}

/** How far a broken line's continuation stands in. */
const CONTINUATION_COLUMNS = 2

/** Fills with spaces up to a width. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - measureWidth(text)))
}

/** A number with its noun: `1 file`, `2 files`. */
export function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** A size for people: `999 B`, `1.5 KiB`. */
export function formatSize(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1
  return `${value.toFixed(digits)} ${units[unit]}`
}
