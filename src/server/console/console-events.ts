import { SkillsError } from '../../errors.ts'
import { getPrincipal, type Caller } from '../auth/caller.ts'
import { openEventStream, type EventStream } from '../http/event-stream.ts'
import type { ConsoleEventData, ConsoleStreamEnd, RunChange } from './console-event.ts'

/** A tab has one stream while it is visible. */
const MAX_STREAMS_PER_CALLER = 16
const MAX_STREAMS = 256
/** Bytes that wait for a slow reader. Events are small, and a reader that was cut asks again. */
const MAX_QUEUED_BYTES = 64 * 1024
/** Interval at which the callers of open streams are checked. */
const CHECK_MS = 15_000

/** A change of a run, with the key of the caller that it belongs to. */
interface OwnedRunChange {
  principal: string
  change: RunChange
}

interface ConsoleStream {
  caller: Caller
  events: EventStream
  /** Throws if the caller has no access any more. */
  authorize(): void
}

/** Sends the events of a server to the open tabs of its console. */
export class ConsoleEvents {
  #streams = new Set<ConsoleStream>()
  /** The last change of each run that has not ended. */
  #running = new Map<string, OwnedRunChange>()
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  get size(): number {
    return this.#streams.size
  }

  /** Opens a stream for a caller. Throws if there are too many. */
  open(caller: Caller, authorize: () => void): EventStream['body'] {
    this.#requireFreeStream(caller)
    const events = openEventStream(() => this.#remove(stream), MAX_QUEUED_BYTES)
    const stream: ConsoleStream = { caller, events, authorize }
    this.#streams.add(stream)
    this.#timer ??= setInterval(() => this.checkCallers(), CHECK_MS).unref()
    const runs = [...this.#running.values()].filter((each) => isVisible(caller, each))
    const data = { runs: runs.map(({ change }) => change), scopes: [...caller.scopes] }
    events.send({ name: 'hello', data })
    if (this.#isClosed) this.#end(stream, 'stopped')
    return events.body
  }

  /** Reports a change of a run to its caller, and to operators. */
  reportRun(principal: string, change: RunChange): void {
    const owned = { principal, change }
    if (change.state === 'ended') this.#running.delete(change.run_id)
    else this.#running.set(change.run_id, owned)
    for (const stream of this.#streams) {
      if (isVisible(stream.caller, owned)) this.#send(stream, 'run', change)
    }
  }

  /** Reports to everyone that skills changed. */
  reportSkills(): void {
    for (const stream of this.#streams) this.#send(stream, 'skills', {})
  }

  /** Reports a part of the server that was loaded again to operators. */
  reportReload(data: ConsoleEventData['reload']): void {
    for (const stream of this.#streams) {
      if (stream.caller.scopes.has('operate')) this.#send(stream, 'reload', data)
    }
  }

  /** Ends the streams of callers whose tokens are no longer accepted. */
  checkCallers(): void {
    for (const stream of this.#streams) {
      try {
        stream.authorize()
      } catch {
        this.#end(stream, 'token')
      }
    }
  }

  /** Ends all streams. */
  close(): void {
    this.#isClosed = true
    for (const stream of this.#streams) this.#end(stream, 'stopped')
  }

  #send(stream: ConsoleStream, name: keyof ConsoleEventData, data: object): void {
    if (stream.events.isFull) this.#end(stream, 'slow')
    else stream.events.send({ name, data })
  }

  #end(stream: ConsoleStream, reason: ConsoleStreamEnd): void {
    this.#remove(stream)
    stream.events.finish({ name: 'end', text: JSON.stringify({ reason }) })
  }

  #remove(stream: ConsoleStream): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #requireFreeStream(caller: Caller): void {
    const principal = getPrincipal(caller)
    const own = [...this.#streams].filter((each) => getPrincipal(each.caller) === principal)
    const isFull = this.#streams.size >= MAX_STREAMS
    if (!isFull && own.length < MAX_STREAMS_PER_CALLER) return
    const limit = isFull ? `${MAX_STREAMS} of all callers` : `${MAX_STREAMS_PER_CALLER} of a caller`
    throw new SkillsError('rate/exceeded', `Expected at most ${limit} open event streams`, {
      hint: 'Close tabs of the console',
    })
  }
}

/** Callers see their own runs, operators see all. */
function isVisible(caller: Caller, { principal }: OwnedRunChange): boolean {
  return caller.scopes.has('operate') || principal === getPrincipal(caller)
}
