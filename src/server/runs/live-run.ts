import type { StreamedEvent } from '../../core/runs/run-call.ts'

/** An event of a run, numbered from 1. */
interface NumberedEvent {
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
export interface LiveRunWriter extends LiveRun {
  publish(event: StreamedEvent | QueuedEvent): void
  /** Leaves out numbers, of events that are not available. */
  skip(count: number): void
  end(status: string): void
}

/** Maximum characters of events that can be replayed. */
const MAX_REPLAY_CHARS = 512 * 1024

export function createLiveRun(id: string, onEnd: (id: string) => void): LiveRunWriter {
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
    skip(skipped) {
      count += skipped
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
