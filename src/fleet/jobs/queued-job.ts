import { createHash } from 'node:crypto'
import type { DetachedStart } from '../../core/runs/detached/detached-run.ts'
import { isRunId } from '../../core/runs/history/run-id.ts'
import type { Engine } from '../engine/engine.ts'
import type { ForwardedCall } from '../messages/call-messages.ts'
import { decodeMessage, understands } from '../messages/encoding.ts'
import type { ObjectRef } from '../objects/objects.ts'

/** The call of a detached run. */
export interface JobCall {
  method: string
  params: unknown
  sent: ForwardedCall
  /** The worker needs at least this position of the catalog. */
  catalog: number
  /** Secrets of the front that the run may use. Only in a fleet with a key, which encrypts them. */
  secrets?: Readonly<Record<string, string>> | undefined
}

/** Parameters of the encryption of a job. */
export interface JobCipher {
  /** Beginning of the digest of the fleet's key, to recognize another one. */
  key: string
  /** In base64, like the next ones. Of the key of this run. */
  salt: string
  iv: string
  tag: string
}

/** A call, encrypted unless the fleet has no key. */
export interface StoredJob {
  cipher: JobCipher | null
  /** Bytes in base64, or the object that has them. */
  body: { inline: string } | { object: ObjectRef }
}

/** A detached run as its front accepted it, before all attempts: `c.<call>.0`. */
export interface QueuedFence extends DetachedStart {
  v: string
  t: 'queued'
  /** The front. */
  node: string
  /** Workers of this pool with these labels perform it. */
  pool: string
  labels: readonly string[]
  /** Digest of the call, as in the fences of its attempts. */
  digest: string
  /** A run that has not begun by then never does. */
  not_after: string
  job: StoredJob
}

/** Marks of a detached run. `removed`: its record was removed, so that it is not listed any more. */
export type JobMark = 'cancel' | 'removed'

export function nameQueuedFence(call: string): string {
  return `c.${call}.0`
}

export function nameJobMark(call: string, mark: JobMark): string {
  return `c.${call}.${mark}`
}

/** Names the job of a run. Its message has only this name: the call is in the first fence. */
export function nameJob({ run_id: id, principal }: Pick<DetachedStart, 'run_id' | 'principal'>) {
  return `j.${hashPrincipal(principal)}.${id}`
}

/** Matches the jobs of a caller. */
export function matchOwnJobs(principal: string): string {
  return `j.${hashPrincipal(principal)}.*`
}

/** Parses the subject of a job; undefined if it is of something else. */
export function parseJobSubject(subject: string): string | undefined {
  const [, , id = ''] = subject.split('.')
  return isRunId(id) ? id : undefined
}

export async function readQueuedFence(
  engine: Engine,
  call: string,
): Promise<QueuedFence | undefined> {
  const stored = await engine.last('calls', nameQueuedFence(call))
  return stored && parseQueuedFence(stored.body)
}

/** Undefined if the message is damaged, or of a version that this program does not understand. */
export function parseQueuedFence(body: Uint8Array): QueuedFence | undefined {
  const fence: Partial<QueuedFence> | undefined = decodeMessage(body)
  if (fence?.t !== 'queued' || !understands(fence.v)) return undefined
  const { run_id: id, principal, started_at: at, not_after: until, digest, job } = fence
  const texts = [id, principal, at, until, digest]
  const isValid =
    texts.every((each) => typeof each === 'string') &&
    isRunId(id ?? '') &&
    Array.isArray(fence.labels) &&
    typeof job === 'object'
  return isValid ? (fence as QueuedFence) : undefined
}

/** True if the run must not begin any more. */
export function isOverdue({ not_after: until }: QueuedFence, now: number = Date.now()): boolean {
  return Date.parse(until) <= now
}

/** Names of callers may have any characters, and are not for other tenants' tools. */
function hashPrincipal(principal: string): string {
  return createHash('sha256').update(principal).digest('hex').slice(0, 16)
}
