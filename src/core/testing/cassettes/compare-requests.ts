import type { Difference } from '../expectations/expectation.ts'
import type { ComparableBody, ComparableRequest } from './comparable-request.ts'

/** The first part in which two requests differ. */
export interface RequestMismatch {
  /** Completes the sentence "the nearest entry differs in …". */
  text: string
  difference: Difference | undefined
  /** Number of parts before it that are equal. */
  equalParts: number
}

/** Finds the first difference; undefined if the requests are equal. */
export function findMismatch(
  expected: ComparableRequest,
  actual: ComparableRequest,
): RequestMismatch | undefined {
  const parts = [
    ['its host', expected.origin, actual.origin],
    ['its path', expected.path, actual.path],
    ['its method', expected.method, actual.method],
    ['its query', expected.query.join('&'), actual.query.join('&')],
    ['its headers', expected.headers.join(', '), actual.headers.join(', ')],
  ] as const
  for (const [at, [name, wanted, got]] of parts.entries()) {
    if (wanted === got) continue
    const text = `${name}: expected ${quotePart(wanted)}, got ${quotePart(got)}`
    return { text, difference: undefined, equalParts: at }
  }
  if (JSON.stringify(expected.body) === JSON.stringify(actual.body)) return undefined
  return { ...describeBodies(expected.body, actual.body), equalParts: parts.length }
}

function quotePart(text: string): string {
  return text === '' ? 'none' : `"${text.slice(0, 200)}"`
}

function describeBodies(
  expected: ComparableBody,
  actual: ComparableBody,
): Pick<RequestMismatch, 'text' | 'difference'> {
  if (expected.kind === 'json' && actual.kind === 'json') {
    const difference = { kind: 'json', expected: expected.value, actual: actual.value } as const
    return { text: 'its body', difference }
  }
  if (expected.kind === 'text' && actual.kind === 'text') {
    const difference = { kind: 'text', expected: expected.text, actual: actual.text } as const
    return { text: 'its body', difference }
  }
  const text = `its body: expected ${describeBody(expected)}, got ${describeBody(actual)}`
  return { text, difference: undefined }
}

function describeBody(body: ComparableBody): string {
  if (body.kind === 'empty') return 'none'
  if (body.kind !== 'bytes') return body.kind === 'json' ? 'JSON' : 'text'
  return `${body.size} bytes with the SHA-256 digest ${body.digest.slice(0, 12)}…`
}
