import { toPrintable } from '../../util/printable.ts'

/** Lines about a skill that was not installed: the reason, and what to type next. */
export function formatFailure(
  subject: string,
  error: { message: string; hint?: string | null | undefined } | undefined,
): string {
  const lines = [`${subject}: ${error?.message}`, error?.hint ?? '']
  return lines
    .filter((line) => line !== '')
    .map((line) => toPrintable(line))
    .join('\n  ')
}
