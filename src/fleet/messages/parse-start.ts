import { isRunId } from '../../core/runs/history/run-id.ts'
import { isHomeKey } from '../workspaces/home-record.ts'
import type { HomeRef, NodeRequest, StartMessage } from './call-messages.ts'

/** Address of a front's replies. */
export interface ReplyAddress {
  front: string
  token: string
}

const FRONT = /^[a-z0-9-]{1,32}$/
const TOKEN = /^[A-Za-z0-9_-]{1,64}$/

/** Reads the address for replies of a message, whose version may be unknown; undefined if it has none. */
export function readReplyAddress(message: object | undefined): ReplyAddress | undefined {
  const { front, token } = (message ?? {}) as { [Name in keyof ReplyAddress]?: unknown }
  if (typeof front !== 'string' || typeof token !== 'string') return undefined
  return FRONT.test(front) && TOKEN.test(token) ? { front, token } : undefined
}

/** Checks the shape of a start, which any node could send. Parts of it become subjects of the engine. */
export function isStartMessage(message: object): message is StartMessage {
  const start = message as Partial<StartMessage>
  const { call, attempt, method, digest, count, catalog, home } = start
  const { caller } = (start.sent ?? {}) as { caller?: unknown }
  return (
    (home === undefined || isHomeRef(home)) &&
    typeof call === 'string' &&
    isRunId(call) &&
    [attempt, count, catalog].every((each) => Number.isSafeInteger(each) && Number(each) >= 0) &&
    [method, digest].every((each) => typeof each === 'string') &&
    typeof caller === 'object' &&
    caller !== null
  )
}

function isHomeRef(value: unknown): value is HomeRef {
  const { key, generation } = Object(value) as Partial<HomeRef>
  return isHomeKey(key) && Number.isSafeInteger(generation)
}

/** Checks the shape of a request about calls. */
export function isControlMessage(message: object): message is NodeRequest {
  const { op, call, run, offset } = message as { [name: string]: unknown }
  if (op === 'drain') return true
  if (op === 'logs') return typeof run === 'string' && isRunId(run) && Number.isSafeInteger(offset)
  if (typeof call !== 'string') return false
  if (op === 'follow' || op === 'unfollow') return readReplyAddress(message) !== undefined
  return op === 'cancel' || op === 'ask'
}
