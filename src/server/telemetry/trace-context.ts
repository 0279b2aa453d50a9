/** The parent span of a call. */
interface TraceContext {
  traceId: string
  parentId: string
  sampled: boolean
}

const HEADER =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Parses a `traceparent` header; undefined if it is malformed. */
export function readTraceparent(header: string | undefined): TraceContext | undefined {
  const match = HEADER.exec(header ?? '')
  if (!match) return undefined
  const [, traceId = '', parentId = '', flags = ''] = match
  return { traceId, parentId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
