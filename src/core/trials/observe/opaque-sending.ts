import type { FoundProof, TraceEvent } from '../trial-report.ts'

/** Files that have no host to which their content could belong. */
const PRIVATE_FILES =
  /^~\/\.ssh\/id_|^~\/\.gnupg\/|^~\/\.config\/google-chrome\/|^~\/\.mozilla\/|wallet|keystore|solana|^~\/Documents\/passwords/
const MIN_BYTES = 256
/** Bits per byte: above those of text, of markup and of JSON. */
const MIN_ENTROPY = 5.6

/** A message that was sent to one host, and whose content cannot be read. */
export interface OpaqueMessage {
  event: TraceEvent
  host: string
}

/** True for content that is encrypted, or compressed in a way that is not decoded here. */
export function isOpaque(bytes: Buffer): boolean {
  const head = bytes.indexOf('\r\n\r\n')
  const body = head === -1 ? bytes : bytes.subarray(head + 4)
  return body.length >= MIN_BYTES && computeEntropy(body.subarray(0, 65_536)) >= MIN_ENTROPY
}

function computeEntropy(bytes: Buffer): number {
  const counts = Array.from({ length: 256 }, () => 0)
  for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1
  return counts.reduce((sum, count) => {
    const share = count / bytes.length
    return count === 0 ? sum : sum - share * Math.log2(share)
  }, 0)
}

/** Finds private files that were read before content left that cannot be read. */
export function findReadAndSent(
  trace: readonly TraceEvent[],
  messages: readonly OpaqueMessage[],
): FoundProof[] {
  const opened = trace.filter(({ kind, detail }) => kind === 'opened' && PRIVATE_FILES.test(detail))
  return messages.flatMap(({ event, host }) => {
    const before = opened.filter(({ atMs }) => atMs <= event.atMs).map(({ detail }) => detail)
    if (before.length === 0) return []
    const files = [...new Set(before)].slice(0, 3).join(', ')
    const message = `It read ${files} and then sent ${event.bytes ?? 0} bytes that cannot be read to ${host}`
    return [{ kind: 'read-and-sent' as const, message, event }]
  })
}
