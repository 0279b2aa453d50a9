import type { ExpectationFailure } from '../../core/testing/expectations/expectation.ts'
import { describeDifference } from './describe-difference.ts'

const PLAIN = { paint: (_: string, text: string) => text }

/** A failed expectation as plain text: place, message and difference. */
export function renderFailureText(
  path: string,
  { position, message, difference }: ExpectationFailure,
): string {
  const place = `${path}:${position.line}:${position.column}`
  return [`${place} ${message}`, ...(difference ? describeDifference(difference, PLAIN) : [])].join(
    '\n',
  )
}
