import { toPrintable } from '../../../util/printable.ts'
import type { Finding } from '../finding.ts'

/** Formats `path:line:column`, or the path alone for a whole file. */
export function formatLocation({ path, start }: Pick<Finding, 'path' | 'start'>): string {
  const printedPath = toPrintable(path)
  return start ? `${printedPath}:${start.line}:${start.column}` : printedPath
}

/** "1 error", "3 errors". */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
