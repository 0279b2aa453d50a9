import type { DetachedEnd, DetachedRun } from '../../core/runs/detached/detached-run.ts'
import type { Engine } from '../engine/engine.ts'
import { readFence } from '../messages/fence.ts'
import type { CallAnswer, Fence } from '../messages/call-messages.ts'
import type { NodeIdentity } from '../node/identity.ts'
import type { Objects } from '../objects/objects.ts'
import { nameRunPart, parseBody } from '../records/run-subjects.ts'
import type { CallEnd } from '../records/run-end.ts'
import { nameJobMark, readQueuedFence, type QueuedFence } from './queued-job.ts'

export interface JobReader {
  engine: Engine
  objects: Objects
  /** This node: the front that accepted a run counts its use. */
  identity: NodeIdentity
}

/** The worker that has the fence of a run. */
export type JobHolder = Extract<Fence, { t: 'begun' }>

/** The end of a detached run, and the time at which the engine stored it. */
export interface JobEnd {
  end: CallEnd
  storedAt: number
}

/** Reads a detached run; undefined if it was not detached, or its record was removed. */
export async function readDetachedRun(
  reader: JobReader,
  id: string,
): Promise<DetachedRun | undefined> {
  const queued = await readQueuedFence(reader.engine, id)
  return queued && (await readQueuedRun(reader, queued))
}

/** Reads the state of a run whose first fence is known. */
export async function readQueuedRun(
  reader: JobReader,
  queued: QueuedFence,
): Promise<DetachedRun | undefined> {
  const { engine } = reader
  const { run_id: id, kind, who, principal, started_at } = queued
  const [stored, cancel, removed] = await Promise.all([
    readJobEnd(engine, id),
    engine.last('calls', nameJobMark(id, 'cancel')),
    engine.last('calls', nameJobMark(id, 'removed')),
  ])
  if (removed) return undefined
  return {
    start: { run_id: id, kind, who, principal, started_at },
    // The id was returned, or could have been.
    isAcknowledged: true,
    // A run whose worker is gone gets an end, which decides.
    isLost: false,
    isCancelling: cancel !== undefined && !stored,
    isFollowed: queued.node !== reader.identity.name,
    end: stored && (await toDetachedEnd(reader, stored)),
  }
}

export async function readJobEnd(engine: Engine, id: string): Promise<JobEnd | undefined> {
  const found = await engine.last('runs', nameRunPart(id, 'end'))
  const end = found && (parseBody(found) as CallEnd | undefined)
  return end && { end, storedAt: found.storedAt }
}

/** Reads the worker of a run; undefined if it has not begun. */
export async function readJobHolder(engine: Engine, id: string): Promise<JobHolder | undefined> {
  const found = await readFence(engine, id)
  return found?.fence.t === 'begun' ? found.fence : undefined
}

async function toDetachedEnd({ objects }: JobReader, { end, storedAt }: JobEnd) {
  const answer = await loadAnswer(objects, end.answer as CallAnswer | undefined)
  const facts = end.detached ?? { usage: undefined, recorded_run_id: null }
  return { ended_at: new Date(storedAt).toISOString(), ...facts, ...answer } satisfies DetachedEnd
}

async function loadAnswer(
  objects: Objects,
  answer: CallAnswer | undefined,
): Promise<Pick<DetachedEnd, 'result' | 'error'>> {
  if (!answer) return { error: { code: 'run/interrupted', message: 'Its answer was not kept' } }
  if ('error' in answer) return { error: answer.error }
  if ('result' in answer) return { result: answer.result }
  const content = await objects.readAll(answer.ref)
  return JSON.parse(content.toString()) as Pick<DetachedEnd, 'result' | 'error'>
}
