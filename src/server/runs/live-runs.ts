import { isRunId, type RunIds } from '../../core/runs/history/run-id.ts'
import type { RunEvent } from '../../core/runs/run-call.ts'
import { invalidParamError, SkillsError } from '../../errors.ts'
import { getPrincipal, type Caller } from '../auth/caller.ts'

/** An event of a run, numbered from 1. */
export interface NumberedEvent {
  number: number
  name: 'state' | 'log' | 'progress' | 'blob' | 'artifact' | 'network' | 'end'
  data: unknown
}

export type RunEventListener = (event: NumberedEvent) => void

/** A running or recently ended run. */
export interface LiveRun {
  readonly id: string
  readonly isOver: boolean
  /**
   * Calls the listener with stored events after `number` and then with new ones, until the returned
   * function is called.
   */
  subscribe(listener: RunEventListener, number?: number): () => void
}

/** A run that waits in the queue. */
interface QueuedEvent {
  type: 'state'
  run_id: string
  state: 'queued'
}

/** The interface of the call that performs the run. */
interface LiveRunWriter extends LiveRun {
  publish(event: RunEvent | QueuedEvent): void
  end(status: string): void
}

/**
 * Runs by id. `start` registers runs of this server; `find` is asynchronous, because an
 * implementation may find the runs of other servers.
 */
export interface LiveRuns {
  readonly size: number
  /**
   * Registers a run by the caller's id or a generated one; `cancel` ends its call. Throws if the id is
   * taken.
   */
  start(caller: Caller, name: string | undefined, cancel: () => void): LiveRunWriter
  /** Frees the id of a call that started no run. */
  remove(id: string): void
  /** Finds a run of this caller, or of any caller for an operator. Throws `run/not-found`. */
  find(caller: Caller, id: string): Promise<LiveRun>
  /** Ends the call that performs a run of this caller; false if there is none. */
  cancel(caller: Caller, id: string): Promise<boolean>
}

/** Maximum characters of events that can be replayed. */
const MAX_REPLAY_CHARS = 512 * 1024
/** Time that an ended run can still be followed. */
const ENDED_RETENTION_MS = 60_000
const MAX_ENDED = 50

export function createLiveRuns(ids: RunIds): LiveRuns {
  const runs = new Map<string, { run: LiveRunWriter; owner: Caller; cancel: () => void }>()
  const ended = new Map<string, NodeJS.Timeout>()
  const forget = (id: string) => {
    runs.delete(id)
    clearTimeout(ended.get(id))
    ended.delete(id)
  }
  const onEnd = (id: string) => {
    ended.set(id, setTimeout(forget, ENDED_RETENTION_MS, id).unref())
    const [oldest] = ended.keys()
    if (ended.size > MAX_ENDED && oldest !== undefined) forget(oldest)
  }
  return {
    get size() {
      return runs.size
    },
    remove: forget,
    start(caller, name, cancel) {
      const id = name ?? ids.reserve()
      if (!isRunId(id))
        throw invalidRunNameError('expected "run_" and 20 to 64 characters of 0-9 and a-f')
      if (runs.has(id)) throw invalidRunNameError(`'${id}' is taken`)
      const run = createLiveRun(id, onEnd)
      runs.set(id, { run, owner: caller, cancel })
      return run
    },
    async find(caller, id) {
      const found = runs.get(id)
      if (found && (isSame(found.owner, caller) || caller.scopes.has('operate'))) return found.run
      throw new SkillsError('run/not-found', `There is no active run '${id.slice(0, 80)}'`)
    },
    async cancel(caller, id) {
      const found = runs.get(id)
      if (!found || found.run.isOver || !isSame(found.owner, caller)) return false
      found.cancel()
      return true
    },
  }
}

function isSame(owner: Caller, caller: Caller): boolean {
  return owner.name === caller.name && getPrincipal(owner) === getPrincipal(caller)
}

function createLiveRun(id: string, onEnd: (id: string) => void): LiveRunWriter {
  const stored: NumberedEvent[] = []
  const listeners = new Set<RunEventListener>()
  let size = 0
  let count = 0
  let isOver = false
  let latestProgress: NumberedEvent | undefined
  const add = (name: NumberedEvent['name'], data: unknown) => {
    const event = { number: ++count, name, data }
    if (name === 'progress') {
      // Only the latest one is replayed, so that progress does not displace logs.
      size -= removeEvent(stored, latestProgress)
      latestProgress = event
    }
    stored.push(event)
    size += measureEvent(event)
    while (size > MAX_REPLAY_CHARS && stored.length > 1)
      size -= measureEvent(stored.shift() as NumberedEvent)
    for (const listener of listeners) listener(event)
  }
  return {
    id,
    get isOver() {
      return isOver
    },
    subscribe(listener, number = 0) {
      for (const event of stored) if (event.number > number) listener(event)
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    publish(event) {
      if (isOver) return
      const { type, ...data } = event
      const facts =
        type === 'blob' ? toBlobEventData((event as { blob: BlobEventSource }).blob) : data
      // The events of several runs of a batch share one stream.
      add(type, { run_id: id, ...facts })
    },
    end(status) {
      if (isOver) return
      isOver = true
      add('end', { run_id: id, status })
      onEnd(id)
    },
  }
}

interface BlobEventSource {
  id: string
  kind: string
  size: number
}

function toBlobEventData({ id, kind, size }: BlobEventSource): object {
  return { blob_id: id, kind, size_bytes: size }
}

/** Returns the size of the removed event. */
function removeEvent(stored: NumberedEvent[], event: NumberedEvent | undefined): number {
  const index = event ? stored.lastIndexOf(event) : -1
  if (!event || index === -1) return 0
  stored.splice(index, 1)
  return measureEvent(event)
}

/** Only logs can be large; 100 covers the rest of an event. */
function measureEvent({ data }: NumberedEvent): number {
  const { text, message } = data as { text?: string; message?: string }
  return 100 + (text ?? message ?? '').length
}

function invalidRunNameError(reason: string): SkillsError {
  return invalidParamError('_meta.run_id', reason)
}
