import type { Method } from '../core/methods/method.ts'
import { SkillsError } from '../errors.ts'
import type { RpcId } from './envelope.ts'
import { createPathMask } from './mask-paths.ts'

/** An error as JSON-RPC carries it. */
export interface RpcErrorObject {
  code: number
  message: string
  data?: Record<string, unknown>
}

/** Turns an error into what a caller may see of it. */
export type ErrorWriter = (error: SkillsError, method?: Method) => RpcErrorObject

/** The code that says that the caller can mend it. */
const INVALID_PARAMS = new SkillsError('params/invalid', '').outcome.rpc

/**
 * Writes errors for foreign eyes: paths of this machine are masked, and what nobody foresaw says
 * nothing but that it happened.
 */
export function createErrorWriter(privateFolders: readonly string[]): ErrorWriter {
  const mask = createPathMask(privateFolders)
  const clean = (text: string) => mask(truncateText(text))
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

/** What a caller sent comes back as a part of it, not as a whole. */
function truncateText(text: string): string {
  return text.length > MAX_MESSAGE_CHARS ? `${text.slice(0, MAX_MESSAGE_CHARS)}…` : text
}

/** One answer that says what went wrong. */
export function renderFailure(id: RpcId, error: RpcErrorObject): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error })
}

/** One answer as it goes out. */
export type ResponseText = string | Buffer<ArrayBuffer>

/** One answer with a result. */
export function renderSuccess(id: RpcId, result: unknown): string {
  return `${renderSuccessPrefix(id)}${JSON.stringify(result ?? null)}}`
}

/** How an answer with a result begins; the result follows, and a brace. */
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

/** Which parameter an error is about, where it does not say so itself. */
function guessParam({ code }: SkillsError, method: Method | undefined): string {
  const [area] = code.split('/')
  if (area === 'skill') return 'name'
  if (area === 'file') return 'path'
  if (area !== 'blob') return 'params'
  return method && 'shape' in method.params && 'blob_id' in (method.params.shape as object)
    ? 'blob_id'
    : 'input_blobs'
}

/** Advice that a caller can follow; what an operator would type stays here. */
export function selectCallerHint({ hint, code }: SkillsError): string | undefined {
  const isForOperator = hint !== undefined && /"skills |skills\.config|--[a-z]/.test(hint)
  // Who starts a server and who tries it first are mostly the same person.
  return isForOperator && !/^(?:http|auth)\//.test(code) ? undefined : hint
}

function maskDeep(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((each) => maskDeep(each, clean))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, maskDeep(each, clean)] as const)
  return Object.fromEntries(entries)
}
