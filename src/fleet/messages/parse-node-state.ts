import { decodeMessage, understands } from './encoding.ts'
import type { FrontState, NodeState, WorkerState } from './node-state.ts'

/** Larger than the heartbeat of a worker that hundreds of fronts use. */
const MAX_BYTES = 64 * 1024
const MAX_LABELS = 64
const MAX_TEXT = 64
const SUBJECT = /^hb\.([wf])\.([a-z0-9-]{1,32})$/

/**
 * Parses a heartbeat. Undefined if it is not valid, is of another major version, or names another node
 * than its subject. Texts may contain any characters.
 */
export function parseNodeState(subject: string, body: Uint8Array): NodeState | undefined {
  const [, kind, name] = SUBJECT.exec(subject) ?? []
  const message = body.length > MAX_BYTES ? undefined : decodeMessage(body)
  const fields: Fields | undefined = message
  if (!fields || fields.node !== name || !understands(fields.v) || !isAnyState(fields)) {
    return undefined
  }
  if (kind === 'f') return fields.role === 'front' ? (fields as FrontState) : undefined
  return isWorkerState(fields) ? fields : undefined
}

type Fields = { readonly [Name in keyof WorkerState]?: unknown }

function isAnyState(fields: Fields): boolean {
  const { v, start, beat, build, running, waiting, isDraining } = fields
  return (
    [v, start, build].every(isShortText) &&
    [beat, running, waiting].every(isCount) &&
    typeof isDraining === 'boolean'
  )
}

function isWorkerState(fields: Fields): fields is WorkerState {
  const { role, pool, labels, places, line, isolation } = fields
  return (
    role === 'worker' &&
    isShortText(pool) &&
    (isolation === undefined || isShortText(isolation)) &&
    [places, line].every(isCount) &&
    Array.isArray(labels) &&
    labels.length <= MAX_LABELS &&
    labels.every(isShortText)
  )
}

export function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT
}

/** True for a number of runs, of places, or of anything else. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
