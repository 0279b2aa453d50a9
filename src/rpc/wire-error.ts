import type { Method } from '../core/methods/method.ts'
import { SkillsError } from '../errors.ts'
import type { RpcId } from './envelope.ts'
import { maskPaths } from './mask-paths.ts'

/** An error as JSON-RPC carries it. */
export interface WireError {
  code: number
  message: string
  data?: Record<string, unknown>
}

/** Turns an error into what a caller may see of it. */
export type ErrorWriter = (error: SkillsError, method?: Method) => WireError

/** The code that says that the caller can mend it. */
const INVALID_PARAMS = new SkillsError('params/invalid', '').outcome.rpc

/**
 * Writes errors for foreign eyes: paths of this machine are masked, and what nobody foresaw says
 * nothing but that it happened.
 */
export function errorWriter(privateFolders: readonly string[]): ErrorWriter {
  const mask = maskPaths(privateFolders)
  const clean = (text: string) => mask(shorten(text))
  return (error, method) => {
    const { rpc: code } = error.outcome
    if (error.code === 'internal/unexpected') return { code, message: 'Internal error' }
    const isParams = code === INVALID_PARAMS
    const message = clean(isParams ? asInvalid(error.message) : error.message)
    const hint = hintForCaller(error)
    const data = {
      ...(isParams && { param: paramOf(error, method), reason: withoutPrefix(error.message) }),
      ...error.data,
      ...(hint !== undefined && { hint }),
      kind: error.code,
    }
    return { code, message, data: cleanDeep(data, clean) as Record<string, unknown> }
  }
}

/** What a caller sent comes back as a part of it, not as a whole. */
function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

/** One answer that says what went wrong. */
export function failure(id: RpcId, error: WireError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error })
}

/** One answer as it goes out. */
export type WireText = string | Buffer<ArrayBuffer>

/** One answer with a result. */
export function success(id: RpcId, result: unknown): string {
  return `${successStart(id)}${JSON.stringify(result ?? null)}}`
}

/** How an answer with a result begins; the result follows, and a brace. */
export function successStart(id: RpcId): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`
}

const MAX_TEXT = 1000
const PREFIX = 'Invalid params: '

function asInvalid(message: string): string {
  return message.startsWith(PREFIX) ? message : `${PREFIX}${message}`
}

function withoutPrefix(message: string): string {
  return message.startsWith(PREFIX) ? message.slice(PREFIX.length) : message
}

/** Which parameter an error is about, where it does not say so itself. */
function paramOf({ code }: SkillsError, method: Method | undefined): string {
  const [area] = code.split('/')
  if (area === 'skill') return 'name'
  if (area === 'file') return 'path'
  if (area !== 'blob') return 'params'
  return method && 'shape' in method.params && 'blob_id' in (method.params.shape as object)
    ? 'blob_id'
    : 'input_blobs'
}

/** Advice that a caller can follow; what an operator would type stays here. */
export function hintForCaller({ hint, code }: SkillsError): string | undefined {
  const isForOperator = hint !== undefined && /"skills |skills\.config|--[a-z]/.test(hint)
  // Who starts a server and who tries it first are mostly the same person.
  return isForOperator && !/^(?:http|auth)\//.test(code) ? undefined : hint
}

function cleanDeep(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((each) => cleanDeep(each, clean))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => [key, cleanDeep(each, clean)] as const)
  return Object.fromEntries(entries)
}
