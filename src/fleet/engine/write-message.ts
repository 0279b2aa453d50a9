import { randomUUID } from 'node:crypto'
import { SkillsError } from '../../errors.ts'
import type { AckAddress, StoredMessage } from './engine.ts'
import { engineFullError } from './errors.ts'
import type { EngineClient } from './connection/load-client.ts'
import { isNotReady } from './read-stream.ts'
import type { StoreRequest } from './stored-acks.ts'

/** Names one write, so that a repeated write recognizes its first try. */
const NONCE_HEADER = 'Skills-Nonce'
const EXPECTED_HEADER = 'Nats-Expected-Last-Subject-Sequence'
/** The engine drops the repetition of what it has stored. */
const ID_HEADER = 'Nats-Msg-Id'
/** Time for one try. */
const TRY_MS = 1000
const MAX_PAUSE_MS = 1000

/** API error codes of the engine. */
const WRONG_LAST_SEQUENCE = 10_071
/** Also the error of a subject that has its maximum of messages. */
const STORE_FAILED = 10_077
const INSUFFICIENT_RESOURCES = [10_023, 10_047]

export interface WriteContext {
  client: Pick<EngineClient, 'headers' | 'JetStreamApiError'>
  /** Returns the position of the stored message. */
  store(request: StoreRequest): Promise<number>
  /** Reads the last message of a subject, with the nonce of its writer. */
  readBack(subject: string): Promise<(StoredMessage & { nonce: string }) | undefined>
  /** Throws if the engine has been away for too long. */
  waitForEngine(since: number, pauseMs: number, cause: unknown): Promise<void>
}

export interface MessageWrite {
  /** With the prefix of the tenant. */
  subject: string
  body: Uint8Array | string
  /** Position that the last message of the subject must have; undefined to add one to any. */
  expected: number | undefined
  /** For the first try only. */
  ackAt?: AckAddress | undefined
  /** For the error of a full stream. */
  contents: string
}

export type WriteResult =
  | { seq: number }
  | { existing: (StoredMessage & { nonce: string }) | undefined }

/**
 * Stores one message, and repeats the write until the engine answers. A refused write may have been refused
 * because of its own first try, whose answer was lost: the nonce of what is stored decides.
 */
export async function writeMessage(
  context: WriteContext,
  { subject, body, expected, ackAt, contents }: MessageWrite,
): Promise<WriteResult> {
  const nonce = randomUUID()
  const since = performance.now()
  for (let attempt = 0; ; attempt++) {
    const headers = context.client.headers()
    headers.set(NONCE_HEADER, nonce)
    if (expected === undefined) headers.set(ID_HEADER, nonce)
    else headers.set(EXPECTED_HEADER, String(expected))
    try {
      const request = { subject, body, headers, timeoutMs: TRY_MS }
      return { seq: await context.store(attempt === 0 ? { ...request, ackAt } : request) }
    } catch (error) {
      const refusal = readRefusal(context, error)
      if (refusal === 'full') throw engineFullError(contents, error)
      if (refusal === 'taken') {
        const stored = await context.readBack(subject)
        return stored?.nonce === nonce ? { seq: stored.seq } : { existing: stored }
      }
      if (refusal === 'other') throw error
      await context.waitForEngine(since, Math.min(MAX_PAUSE_MS, 50 * 2 ** attempt), error)
    }
  }
}

/** Reads the nonce of a stored message. */
export function readNonce(header: { get(name: string): string } | undefined): string {
  return header?.get(NONCE_HEADER) ?? ''
}

/** Why the engine refused a write; undefined if it did not answer. */
function readRefusal(
  { client }: WriteContext,
  error: unknown,
): 'taken' | 'full' | 'other' | undefined {
  if (error instanceof SkillsError) return 'other'
  if (!(error instanceof client.JetStreamApiError) || isNotReady(client, error)) return undefined
  const { code, message } = error
  if (code === WRONG_LAST_SEQUENCE) return 'taken'
  if (code === STORE_FAILED) return /per subject/.test(message) ? 'taken' : 'full'
  return INSUFFICIENT_RESOURCES.includes(code) ? 'full' : 'other'
}
