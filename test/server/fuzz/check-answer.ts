import type { Body } from './bodies.ts'

const CODES = new Set([-32700, -32600, -32601, -32602, -32001, -32002, -32003, -32004, -32005])

interface Answer {
  jsonrpc: unknown
  id: unknown
  result?: unknown
  error?: { code: number; message: unknown; data?: unknown }
}

/**
 * Throws if a response of /rpc violates JSON-RPC or this server's documented choices for the body.
 */
export async function checkAnswer(body: Body, response: Response): Promise<void> {
  const sent = parse(body)
  const text = await response.text()
  if (response.status === 204) {
    assertValid(text === '', 'a 204 has no body')
    assertValid(
      sent.isJson && listCalls(sent.value).every(isNotification),
      'only notifications have no answer',
    )
    return
  }
  assertValid(response.headers.get('content-type') === 'application/json', 'an answer is JSON')
  assertValid(
    response.headers.get('x-content-type-options') === 'nosniff',
    'an answer is not sniffed',
  )
  assertValid(!/\n\s+at |node:internal|node_modules/.test(text), 'an answer shows no stack')
  const answer = JSON.parse(text) as Answer | Answer[]
  if (!sent.isJson) {
    // Excessive nesting is rejected before the body is parsed.
    const code = Array.isArray(answer) ? 0 : answer.error?.code
    assertValid(response.status === (code === -32600 ? 200 : 400), `status ${response.status}`)
    assertValid(code === -32700 || code === -32600, 'expected -32700 for a body that is not JSON')
    checkOne(answer as Answer, null)
    return
  }
  assertValid(response.status === 200, `what is JSON is answered with 200, not ${response.status}`)
  if (!Array.isArray(answer))
    return checkOne(answer, Array.isArray(sent.value) ? null : expectedId(sent.value, answer))
  assertValid(Array.isArray(sent.value), 'only a batch is answered with a list')
  const calls = listCalls(sent.value).filter((each) => !isNotification(each))
  assertValid(calls.length === answer.length, 'a batch has an answer for each call')
  for (const [at, each] of answer.entries()) checkOne(each, expectedId(calls[at], each))
}

function checkOne(answer: Answer, id: unknown): void {
  assertValid(answer.jsonrpc === '2.0', 'jsonrpc is "2.0"')
  assertValid(
    Object.hasOwn(answer, 'id') && Object.is(normalizeZero(answer.id), normalizeZero(id)),
    `the id is ${JSON.stringify(id)}`,
  )
  assertValid(
    Object.hasOwn(answer, 'result') !== Object.hasOwn(answer, 'error'),
    'a result or an error',
  )
  const { error } = answer
  if (!error) return
  assertValid(
    CODES.has(error.code),
    `the code is documented, not ${error.code}: ${JSON.stringify(error)}`,
  )
  assertValid(
    typeof error.message === 'string' && error.message !== '',
    'an error says what is wrong',
  )
  if (error.code === -32602) {
    const { param, reason } = (error.data ?? {}) as Record<string, unknown>
    assertValid(typeof param === 'string' && typeof reason === 'string', 'invalid params are named')
  }
}

/** Returns the expected id; null if the call had no valid one or the whole body was rejected. */
function expectedId(call: unknown, answer: Answer): unknown {
  if (typeof call !== 'object' || call === null || Array.isArray(call)) return null
  const { id } = call as { id?: unknown }
  if (!isReturnable(id)) return null
  const isRefusedWhole = answer.error?.code === -32600 && answer.id === null
  return isRefusedWhole ? null : id
}

/** True for a string, or a number that a double represents exactly. */
function isReturnable(id: unknown): boolean {
  if (typeof id !== 'number') return typeof id === 'string'
  return !Number.isInteger(id) || Number.isSafeInteger(id)
}

function isNotification(call: unknown): boolean {
  if (typeof call !== 'object' || call === null || Array.isArray(call)) return false
  const { jsonrpc, method } = call as Record<string, unknown>
  return !Object.hasOwn(call, 'id') && jsonrpc === '2.0' && typeof method === 'string'
}

function listCalls(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value]
}

function parse(body: Body): { isJson: boolean; value: unknown } {
  try {
    const text =
      typeof body === 'string'
        ? body
        : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    return { isJson: true, value: JSON.parse(text) }
  } catch {
    return { isJson: false, value: undefined }
  }
}

/** JSON does not distinguish -0 from 0. */
function normalizeZero(value: unknown): unknown {
  return value === 0 ? 0 : value
}

function assertValid(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Error(`Expected that ${message}`)
}
