import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isStreamedEvent } from '../../core/runs/run-call.ts'
import type { ForeignRunListener } from '../../server/served-node.ts'
import type { AskAnswer, CallAnswer, NodeRequest } from '../messages/call-messages.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'
import type { NodeIdentity } from '../node/identity.ts'
import type { DirectingServices } from './directed-call.ts'
import { ignoreAway } from './errors.ts'
import { readSessionOutcome } from '../../core/methods/outcomes.ts'

/** Time between two requests to the worker: a message may be lost with a connection. */
const REPEAT_MS = 1000
const ASK_MS = 500

export type WatchServices = Pick<
  DirectingServices,
  'engine' | 'identity' | 'workers' | 'inbox' | 'ends'
> & { readAnswer: (answer: CallAnswer) => Promise<CallAnswer> }

/** A run, and the start of the worker that performs it. */
export interface WatchedRun {
  id: string
  worker: NodeIdentity
}

/** Follows a run that another front sent. Returns a function that ends it. */
export function watchRun(
  services: WatchServices,
  run: WatchedRun,
  listener: ForeignRunListener,
): () => void {
  const watch = new RunWatch(services, run, listener)
  void watch.follow()
  return () => watch.stop()
}

class RunWatch {
  #services: WatchServices
  #run: WatchedRun
  #listener: ForeignRunListener
  #token = randomBytes(12).toString('hex')
  #lastFact = 0
  /** Facts since the last event, which may have been events that were lost. */
  #lost = 0
  #answer: CallAnswer | undefined
  #stopped = new AbortController()
  #ended = new AbortController()
  #close: () => void

  constructor(services: WatchServices, run: WatchedRun, listener: ForeignRunListener) {
    this.#services = services
    this.#run = run
    this.#listener = listener
    this.#close = services.inbox.open(this.#token, (arrival) => {
      if (arrival.t === 'end') {
        this.#answer = arrival.answer
        this.#ended.abort()
      }
      if (arrival.t !== 'fact' || arrival.n <= this.#lastFact) return
      this.#lost += arrival.n - this.#lastFact - 1
      this.#lastFact = arrival.n
      if (!isStreamedEvent(arrival.fact)) return
      listener.onEvent(arrival.fact, this.#lost)
      this.#lost = 0
    })
  }

  async follow(): Promise<void> {
    const signal = AbortSignal.any([this.#stopped.signal, this.#ended.signal])
    try {
      while (!this.#answer && !this.#stopped.signal.aborted) {
        const isKnown = await this.#request('follow')
        this.#answer ??= isKnown === true ? undefined : await this.#findEnd().catch(ignoreAway)
        if (!this.#answer) await sleep(REPEAT_MS, undefined, { signal }).catch(() => {})
      }
      if (this.#answer && !this.#stopped.signal.aborted)
        this.#listener.onEnd(readEndStatus(await this.#services.readAnswer(this.#answer)))
    } catch {
      // The stream ends, and its client asks for the run.
      this.#listener.onEnd('failed')
    } finally {
      this.#close()
    }
  }

  stop(): void {
    if (this.#stopped.signal.aborted) return
    this.#stopped.abort()
    this.#close()
    // A worker cancels a call that no front waits for.
    if (!this.#answer) void this.#request('unfollow')
  }

  /** True if the worker has the run; undefined if it did not answer now. */
  async #request(op: 'follow' | 'unfollow'): Promise<boolean | undefined> {
    const { engine, identity } = this.#services
    const { id: call, worker } = this.#run
    const address = { call, front: identity.name, token: this.#token }
    const body: NodeRequest =
      op === 'follow' ? { op, ...address, after: this.#lastFact } : { op, ...address }
    try {
      const response = await engine.request(`w.${worker.name}.ctl`, encodeMessage(body), ASK_MS)
      const answer = decodeMessage(response) as AskAnswer | undefined
      return answer && answer.isKnown && answer.start === worker.start
    } catch {
      return undefined
    }
  }

  /** The end of a run whose worker does not have it any more, or is gone. */
  async #findEnd(): Promise<CallAnswer | undefined> {
    const { ends, workers, engine } = this.#services
    const { id, worker } = this.#run
    const end = await ends.read(id)
    if (end) return end
    const isGone = engine.health.isSteady && workers.isThere(worker.name, worker.start) === false
    return isGone
      ? await ends.declareInterrupted(id, `The worker "${worker.name}" is gone`)
      : undefined
  }
}

interface EndedResult {
  status?: string
  exit_code?: number
}

/** Derives the status of a run from the answer to its call, as its front does for followers. */
function readEndStatus(answer: CallAnswer): string {
  if ('error' in answer) return answer.error.code === 'run/cancelled' ? 'cancelled' : 'failed'
  const { status, exit_code } = ('result' in answer ? answer.result : {}) as EndedResult
  if (exit_code === undefined && status !== undefined) return status
  return readSessionOutcome({ status: 'exited', exit_code })
}
