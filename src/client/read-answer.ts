import { ConnectionError, ProtocolError } from './errors.ts'

/** The request that a response must match. */
export interface PendingRequest {
  id: string
  method: string
  httpStatus: number
}

/**
 * Returns the result of a response. Throws ProtocolError for an error response and ConnectionError
 * for an invalid one.
 */
export function readAnswer(text: string, request: PendingRequest): unknown {
  const answer = parseObject(text)
  if (answer?.['jsonrpc'] !== '2.0') throw notARuntimeError(request.httpStatus, text)
  const { error, id } = answer
  if (error !== undefined && error !== null) throw toProtocolError(error, request)
  if (!('result' in answer) || id !== request.id) throw notARuntimeError(request.httpStatus, text)
  return answer['result']
}

/** Parses a JSON object; undefined for anything else. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function toProtocolError(error: unknown, { method, httpStatus }: PendingRequest): Error {
  const { code, message, data } = (error ?? {}) as Record<string, unknown>
  if (typeof code !== 'number' || typeof message !== 'string') {
    return notARuntimeError(httpStatus, JSON.stringify(error))
  }
  return new ProtocolError(message, { code, data, httpStatus, asked: method })
}

const MAX_EXCERPT = 80

/** The message quotes the beginning of the response. */
export function notARuntimeError(httpStatus: number, text: string): ConnectionError {
  const start = text.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_EXCERPT)
  const excerpt = start === '' ? 'nothing' : `"${start}"`
  return new ConnectionError(
    `Expected a JSON-RPC response, got HTTP status ${httpStatus} with ${excerpt}`,
    { problem: 'not-a-runtime', httpStatus },
  )
}
