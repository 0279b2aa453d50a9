import type { Method } from '../core/methods/method.ts'
import { SkillsError } from '../errors.ts'
import type { RpcId } from './envelope.ts'
import { createPathMask } from '../util/text/mask-paths.ts'

/** A JSON-RPC error object. */
export interface RpcErrorObject {
  code: number
  message: string
  data?: Record<string, unknown>
}

/** Converts an error to what a caller may see. */
export type ErrorWriter = (error: SkillsError, method?: Method) => RpcErrorObject

/** The JSON-RPC code of errors that the caller can correct. */
const INVALID_PARAMS = new SkillsError('params/invalid', '').outcome.rpc

/**
 * Creates the function that converts errors for callers. It masks paths of this machine and hides
 * the details of unexpected errors.
 */
export function createErrorWriter(privateFolders: readonly string[]): ErrorWriter {
  const mask = createPathMask(privateFolders)
  const clean = (text: string) => mask(truncateErrorText(text))
  return (error, method) => {
    const { rpc: code } = error.outcome
    if (error.code === 'internal/unexpected') return { code, message: 'Internal error' }
    const isParams = code === INVALID_PARAMS
    const message = clean(isParams ? addPrefix(error.message) : error.message)
    const hint = selectCallerHint(error)
    const data = {
      ...(isParams && { param: guessParam(error, method), reason: removePrefix(error.message) }),
      ...error.data,
      ...(hint !== undefined && { hint }),
      kind: error.code,
    }
    return { code, message, data: maskDeep(data, clean) as Record<string, unknown> }
  }
}

/** Limits how much of a caller's input is returned in messages. */
function truncateErrorText(text: string): string {
  return text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS)}…` : text
}

/** Renders an error response. */
export function renderFailure(id: RpcId, error: RpcErrorObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error })
}

/** A serialized response. */
export type ResponseText = string | Buffer

/** Renders a success response. */
export function renderSuccess(id: RpcId, result: unknown): string {
  return `${renderSuccessPrefix(id)}${JSON.stringify(result ?? null)}}`
}

/** Renders a success response up to its result. The result and a closing brace follow. */
export function renderSuccessPrefix(id: RpcId): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`
}

const MAX_MESSAGE_CHARS = 1000
const PREFIX = 'Invalid params: '

function addPrefix(message: string): string {
  return message.startsWith(PREFIX) ? message : `${PREFIX}${message}`
}

function removePrefix(message: string): string {
  return message.startsWith(PREFIX) ? message.slice(PREFIX.length) : message
}

/** Guesses the parameter of an error that does not name one. */
function guessParam({ code }: SkillsError, method: Method | undefined): string {
  const [area] = code.split('/')
  if (area === 'skill') return 'name'
  if (area === 'file') return 'path'
  if (area !== 'blob') return 'params'
  return method && 'shape' in method.params && 'blob_id' in (method.params.shape as object)
    ? 'blob_id'
    : 'input_blobs'
}

/** Returns a hint that a caller can follow. Hints for the operator are not returned. */
export function selectCallerHint({ hint, code }: SkillsError): string | undefined {
  const isForOperator = hint !== undefined && /"skills |skills\.config|--[a-z]/.test(hint)
  // During setup, the operator is mostly the caller as well.
  return isForOperator && !/^(?:http|auth)\//.test(code) ? undefined : hint
}

function maskDeep(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((each) => maskDeep(each, clean))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, maskDeep(each, clean)] as const)
  return Object.fromEntries(entries)
}
