import { SkillsError } from '../errors.ts'

export type RpcId = string | number | null

/** One call with a validated envelope. Its parameters are not yet validated. */
export interface Envelope {
  /** Undefined for a notification, which gets no response. */
  id: RpcId | undefined
  method: string
  params: unknown
}

/** A call with an invalid envelope; `id` is null if it has no valid one. */
interface InvalidEnvelope {
  id: RpcId
  error: SkillsError
}

/** Validates the envelope of one call. */
export function readEnvelope(value: unknown): Envelope | InvalidEnvelope {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return rejectEnvelope(null, `expected an object, got ${nameJsonType(value)}`)
  }
  const call = value as Record<string, unknown>
  const hasId = Object.hasOwn(call, 'id')
  const id = hasId ? call['id'] : null
  const problem = hasId ? findIdProblem(id) : undefined
  if (problem !== undefined) return rejectEnvelope(null, problem)
  if (readOwn(call, 'jsonrpc') !== '2.0') {
    return rejectEnvelope(
      id as RpcId,
      `expected "jsonrpc": "2.0", got ${quoteValue(readOwn(call, 'jsonrpc'))}`,
    )
  }
  const method = readOwn(call, 'method')
  if (typeof method !== 'string') {
    return rejectEnvelope(
      id as RpcId,
      `expected "method" to be a string, got ${nameJsonType(method)}`,
    )
  }
  return { id: hasId ? (id as RpcId) : undefined, method, params: readOwn(call, 'params') }
}

/** An id must be returned unchanged. A double cannot represent every number exactly. */
function findIdProblem(id: unknown): string | undefined {
  if (id === null || typeof id === 'string') return undefined
  if (typeof id !== 'number') return `expected "id" to be a string, number or null`
  if (Number.isInteger(id) && !Number.isSafeInteger(id)) {
    return 'the number in "id" is too large to be returned unchanged; send it as a string'
  }
  return undefined
}

/** Reads own members only, so that `__proto__` in a request adds none. */
function readOwn(value: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined
}

function rejectEnvelope(id: RpcId, reason: string): InvalidEnvelope {
  const error = new SkillsError('rpc/invalid-request', `Invalid Request: ${reason}`, {
    data: { reason },
  })
  return { id, error }
}

function quoteValue(value: unknown): string {
  if (typeof value !== 'string') return nameJsonType(value)
  return JSON.stringify(value.length > 20 ? `${value.slice(0, 20)}…` : value)
}

/** Names the JSON type of a value. */
export function nameJsonType(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
