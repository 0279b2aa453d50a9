import { createHash } from 'node:crypto'
import { formatBytes } from '../../../util/quantity.ts'

const SHOWN_DIGITS = 12

/** Size and digest of binary content, for messages. */
export function describeBytes(bytes: Uint8Array): string {
  const digest = createHash('sha256').update(bytes).digest('hex')
  return `${formatBytes(bytes.length)}, sha256:${digest.slice(0, SHOWN_DIGITS)}`
}
