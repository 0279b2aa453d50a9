import { setTimeout as sleep } from 'node:timers/promises'
import type {
  DetachedRun,
  DetachedStart,
  DetachedStore,
} from '../../core/runs/detached/detached-run.ts'
import { isRunId } from '../../core/runs/history/run-id.ts'
import type { AskAnswer } from '../messages/call-messages.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'
import { createCancelledError, endQueuedJob, type JobEnding } from './end-job.ts'
import { markJobRemoved } from './mark-job-removed.ts'
import {
  nameJob,
  nameJobMark,
  parseQueuedFence,
  readQueuedFence,
  type QueuedFence,
} from './queued-job.ts'
import { readDetachedRun, readJobEnd, readQueuedRun, type JobReader } from './read-job.ts'

export type FleetDetachedOptions = JobEnding & JobReader

/** Runs whose states are read at once. */
const READS = 16
const CANCEL_MS = 1000
/** The worker of a run that just began may not know it yet. */
const CANCEL_TRIES = 3

/**
 * Opens the detached runs of a fleet, which are messages of the streams `calls`, `jobs` and `runs`. Workers
 * write the fences and the ends; `JobSender` creates the runs.
 */
export function openFleetDetachedStore(options: FleetDetachedOptions): DetachedStore {
  return new FleetDetachedStore(options)
}

class FleetDetachedStore implements DetachedStore {
  #options: FleetDetachedOptions

  constructor(options: FleetDetachedOptions) {
    this.#options = options
  }

  create(): Promise<void> {
    throw createForeignError()
  }

  begin(): Promise<void> {
    throw createForeignError()
  }

  end(): Promise<void> {
    throw createForeignError()
  }

  isCancelRequested(): boolean {
    throw createForeignError()
  }

  async find(id: string): Promise<DetachedRun | undefined> {
    return isRunId(id) ? await readDetachedRun(this.#options, id) : undefined
  }

  async list(isWanted: (start: DetachedStart) => boolean = () => true): Promise<DetachedRun[]> {
    const queued: QueuedFence[] = []
    for await (const { body } of this.#options.engine.list('calls', 'c.*.0')) {
      const fence = parseQueuedFence(body)
      if (fence && isWanted(fence)) queued.unshift(fence)
    }
    const runs: DetachedRun[] = []
    for (let at = 0; at < queued.length; at += READS) {
      const some = queued.slice(at, at + READS)
      const read = await Promise.all(
        some.map(async (each) => await readQueuedRun(this.#options, each)),
      )
      runs.push(...read.filter((each) => each !== undefined))
    }
    return runs
  }

  /** Notes the request, so that a run which is delivered again does not begin, then ends it where it is. */
  async requestCancel(id: string): Promise<void> {
    const { engine } = this.#options
    const queued = await readQueuedFence(engine, id)
    if (!queued || (await readJobEnd(engine, id))) return
    await engine.create('calls', nameJobMark(id, 'cancel'), '{}')
    const holder = await endQueuedJob(this.#options, queued, createCancelledError())
    if (holder) await this.#cancelAt(holder.node, id)
    else await engine.remove('jobs', nameJob(queued))
  }

  async remove(id: string): Promise<void> {
    await markJobRemoved(this.#options.engine, id)
  }

  /** Asks the worker of a run to end it. A worker that does not answer reads the mark by itself. */
  async #cancelAt(node: string, call: string): Promise<void> {
    const { engine } = this.#options
    const body = encodeMessage({ op: 'cancel', call })
    for (let attempt = 0; attempt < CANCEL_TRIES; attempt++) {
      const answer = await engine.request(`w.${node}.ctl`, body, CANCEL_MS).catch(() => undefined)
      if (answer && isKnown(answer)) return
      await sleep(CANCEL_MS / 4)
    }
  }
}

function isKnown(answer: Uint8Array): boolean {
  return (decodeMessage(answer) as AskAnswer | undefined)?.isKnown === true
}

/** Only the processes of a single machine create detached runs in their store. */
function createForeignError(): Error {
  return new Error('A front creates detached runs as jobs, and workers end them')
}
