import { isErrorCode, SkillsError, type ErrorCode } from '../errors.ts'
import { ProtocolError } from './errors.ts'
import { notARuntimeError, parseObject } from './read-answer.ts'

/** Other paths than /rpc return an error as a plain object with the same fields. */
export function errorFromBody(url: URL, httpStatus: number, text: string): Error {
  const path = url.pathname
  const error = parseObject(text)?.['error'] as Record<string, unknown> | undefined
  const { code: kind, message, ...rest } = error ?? {}
  if (typeof kind === 'string' && typeof message === 'string') {
    const code = toRpcCode(isErrorCode(kind) ? kind : 'internal/unexpected')
    return new ProtocolError(message, { code, data: { ...rest, kind }, httpStatus, asked: path })
  }
  return notARuntimeError(httpStatus, text)
}

/** Builds the error of a response without a body, as to HEAD, from its status alone. */
export function errorFromStatus(url: URL, httpStatus: number): Error {
  const kind = CODES_BY_STATUS[httpStatus]
  if (kind === undefined) return notARuntimeError(httpStatus, '')
  const path = url.pathname
  const facts = { code: toRpcCode(kind), data: { kind }, httpStatus, asked: path }
  return new ProtocolError(`HTTP status ${httpStatus} for ${path}`, facts)
}

const CODES_BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'auth/required',
  403: 'auth/scope',
  404: 'blob/not-found',
}

function toRpcCode(kind: ErrorCode): number {
  return new SkillsError(kind, '').outcome.rpc
}
