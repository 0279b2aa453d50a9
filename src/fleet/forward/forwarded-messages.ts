import type { DetachedError } from '../../core/runs/detached/detached-run.ts'
import { SCOPES, type Caller, type Scope } from '../../server/auth/caller.ts'
import type { ObjectRef } from '../objects/objects.ts'

/** Headers that a session reads. Credentials stay at the front that checked them. */
export const FORWARDED_HEADERS = [
  'accept',
  'content-type',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
] as const

/** A caller as its front authenticated it. */
export interface ForwardedCaller extends Pick<Caller, 'name' | 'principal' | 'limits'> {
  scopes: readonly Scope[]
  account: string | null
}

/** A front asks the front with a session to serve a request: `f.<node>.http`. */
export interface OpenMessage {
  op: 'open'
  v: string
  /** Replies are sent to `x.<front>.<token>`. */
  front: string
  token: string
  method: string
  headers: Readonly<Record<string, string>>
  body?: unknown
  /** A body that is too large for a message. */
  body_ref?: ObjectRef | undefined
  caller: ForwardedCaller
}

/** `follow`: the client is still there. `abort`: it has gone. */
export type ForwardRequest = OpenMessage | { op: 'follow' | 'abort'; front: string; token: string }

/** Messages of a response, numbered from 0. */
export type ForwardReply =
  | { n: number; t: 'head'; status: number; headers: Readonly<Record<string, string>> }
  /** Bytes in base64. */
  | { n: number; t: 'part'; data: string }
  | { n: number; t: 'end' }
  /** The request was refused. */
  | { n: number; t: 'error'; error: DetachedError }
  /** Nothing is known yet: the response goes on. Not numbered. */
  | { n: -1; t: 'alive' }

/** Time between two messages that say that a side is still there. */
export const ALIVE_MS = 2000
/** Time without any message after which the other side is given up. */
export const SILENT_MS = 7000

const NAME = /^[a-z0-9-]{1,32}$/
const TOKEN = /^[0-9a-f]{24}$/
const METHODS: readonly unknown[] = ['GET', 'POST', 'DELETE']

type Unchecked<T> = { readonly [Name in keyof T]?: unknown }

/** Checks the shape of a request, which any node could send. */
export function isForwardRequest(message: object): message is ForwardRequest {
  const fields: Unchecked<OpenMessage> = message
  const { op, front, token } = fields
  if (typeof front !== 'string' || !NAME.test(front)) return false
  if (typeof token !== 'string' || !TOKEN.test(token)) return false
  if (op === 'follow' || op === 'abort') return true
  return op === 'open' && METHODS.includes(fields.method) && isOpenMessage(fields)
}

function isOpenMessage({ headers, caller }: Unchecked<OpenMessage>): boolean {
  return isTexts(headers) && typeof caller === 'object' && caller !== null && isCaller(caller)
}

function isCaller({ name, scopes, account, principal }: Unchecked<ForwardedCaller>): boolean {
  return (
    typeof name === 'string' &&
    (account === null || typeof account === 'string') &&
    (principal === undefined || typeof principal === 'string') &&
    Array.isArray(scopes) &&
    scopes.every((each) => (SCOPES as readonly unknown[]).includes(each))
  )
}

/** Checks the shape of a reply. */
export function isForwardReply(message: object): message is ForwardReply {
  const { n, t, data, status, headers, error } = message as { readonly [name: string]: unknown }
  if (!Number.isSafeInteger(n)) return false
  if (t === 'head') return isStatus(status) && isTexts(headers)
  if (t === 'part') return typeof data === 'string'
  if (t === 'error') return isDetachedError(error)
  return t === 'end' || t === 'alive'
}

/** True for a status that a response can have. */
function isStatus(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599
}

function isDetachedError(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { code, message } = value as Unchecked<DetachedError>
  return typeof code === 'string' && typeof message === 'string'
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((each) => typeof each === 'string')
  )
}

export function sendCaller(caller: Caller): ForwardedCaller {
  const { name, scopes, principal, account, limits } = caller
  return {
    name,
    scopes: [...scopes],
    account: account ?? null,
    ...(principal !== undefined && { principal }),
    ...(limits && { limits }),
  }
}

export function readCaller({ scopes, account, ...rest }: ForwardedCaller): Caller {
  return { ...rest, scopes: new Set(scopes), account: account ?? undefined }
}
