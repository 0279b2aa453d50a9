import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Terminal columns of a text, without colour codes. */
export function measureWidth(text: string): number {
  // Fast path for ASCII: the width tables take longer to load than to print a list.
  if (/^[\u0020-\u007E]*$/.test(text)) return text.length
  return (require('fast-string-width') as typeof import('fast-string-width')).default(text)
}

/**
 * Wraps text at words to `columns`. A longer word keeps its own line, since a cut path or command
 * cannot be copied. Scripts without spaces are cut.
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

/** Wraps wide lines at words, keeping their indentation; other lines are unchanged. */
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

/** Indentation of continuation lines. */
const CONTINUATION_COLUMNS = 2

/** Pads with spaces to a width. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - measureWidth(text)))
}

/** `1 file`, `2 files`. */
export function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Size for people: `999 B`, `1.5 KiB`. */
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
