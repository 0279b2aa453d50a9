import { cancelledError, toSkillsError } from '../../errors.ts'
import { openServices } from '../open-services.ts'
import { fromDetachedError, toDetachedError } from '../runs/detached/detached-error.ts'
import type {
  DetachedEnd,
  DetachedKind,
  DetachedStore,
  DetachedUsage,
} from '../runs/detached/detached-run.ts'
import type { FromRunner, RunnerRequest, SlotMessage } from '../runs/detached/runner-message.ts'
import type { RunQueue } from '../runs/queue/run-queue.ts'
import { openOperatorRedactor } from '../runs/redaction/operator-redactor.ts'
import type { RunCall, RunEvent } from '../runs/run-call.ts'
import { shiftCallTimes } from '../runs/run-phases.ts'
import type { Services } from '../services.ts'

/** Interval of checks whether the end of the run was requested. */
const CANCEL_POLL_MS = 200

/** Connection to the process that accepted the call. */
export interface RunnerChannel {
  /** Aborted by the parent before the run begins, and by signals. */
  readonly cancelling: AbortSignal
  onParentGone(listener: () => void): void
  isConnected(): boolean
  readonly send: (message: FromRunner) => void
  /** Receives the answer to a `slot-request`. */
  onSlot: ((slot: SlotMessage) => void) | undefined
}

type DetachedOperation = (services: Services, params: never, call: RunCall) => Promise<unknown>

/** Loads the operation of a run. */
const OPERATIONS: Readonly<Record<DetachedKind, () => Promise<DetachedOperation>>> = {
  execute_skill: async () => (await import('../methods/execute-skill/handler.ts')).executeEntry,
  run_code: async () => (await import('../methods/run-code/handler.ts')).runCodeWithEntries,
  execute: async () => (await import('../methods/runtime-execute/handler.ts')).runtimeExecute,
}

/** Performs a run like any other, and stores its end. */
export async function runDetached(
  channel: RunnerChannel,
  { config, kind, params, call: sent, times }: RunnerRequest,
): Promise<void> {
  const services = openServices({ config })
  const run = new RunnerState(channel, { store: await services.detached(), id: sent.runId })
  const call = {
    ...run.createCall(sent),
    times: shiftCallTimes(times, -performance.timeOrigin),
  }
  const end = await performOperation(services, { kind, params, call })
  await run.finish(end)
  await services.sandboxes.stop()
}

async function performOperation(
  services: Services,
  { kind, params, call }: { kind: DetachedKind; params: unknown; call: RunCall },
): Promise<Pick<DetachedEnd, 'result' | 'error'>> {
  try {
    const operation = await OPERATIONS[kind]()
    return { result: await operation(services, params as never, call) }
  } catch (thrown) {
    // The error of a run is stored in a file.
    const redactor = await openOperatorRedactor(services, call.grants?.secrets?.values())
    return { error: toDetachedError(toSkillsError(thrown), redactor) }
  }
}

/** State of the run of this process. */
class RunnerState {
  #channel: RunnerChannel
  #store: DetachedStore
  #id: string
  #ending = new AbortController()
  #hasBegun = false
  #recordedRunId: string | null = null
  #usage: DetachedUsage = { cpu_ms: 0, blob_bytes: 0 }
  #timer: NodeJS.Timeout | undefined

  constructor(channel: RunnerChannel, { store, id }: { store: DetachedStore; id: string }) {
    this.#channel = channel
    this.#store = store
    this.#id = id
    const end = () => this.#ending.abort()
    if (channel.cancelling.aborted) end()
    channel.cancelling.addEventListener('abort', end)
    // Before the run has begun, no caller knows of it.
    const endUnlessBegun = () => {
      if (!this.#hasBegun) end()
    }
    channel.onParentGone(endUnlessBegun)
    if (!channel.isConnected()) endUnlessBegun()
  }

  createCall(sent: RunnerRequest['call']): RunCall {
    return {
      ...sent,
      signal: this.#ending.signal,
      isDetached: true,
      runQueue: this.#createQueue(),
      onEvent: (event) => this.#receiveEvent(event),
    }
  }

  #receiveEvent(event: RunEvent): void | Promise<void> {
    // The process that accepted the call owns the queue, and shows no output.
    if (event.type === 'admitted' || event.type === 'output') return
    if (event.type === 'authorized') return this.#begin()
    if (event.type === 'recorded') this.#recordedRunId = event.run_id
    else if (event.type === 'cpu') this.#usage.cpu_ms += event.ms
    else if (event.type === 'blob') this.#usage.blob_bytes += event.blob.size
    this.#channel.send({ type: 'event', event })
  }

  async finish(outcome: Pick<DetachedEnd, 'result' | 'error'>): Promise<void> {
    clearInterval(this.#timer)
    const end = {
      ...outcome,
      ended_at: new Date().toISOString(),
      recorded_run_id: this.#recordedRunId,
      usage: this.#usage,
    }
    if (this.#hasBegun) await this.#store.end(this.#id, end)
    this.#channel.send({ type: 'ended', end })
  }

  async #begin(): Promise<void> {
    if (this.#ending.signal.aborted) throw cancelledError()
    await this.#store.begin(this.#id)
    this.#hasBegun = true
    this.#timer = setInterval(() => {
      if (this.#store.isCancelRequested(this.#id)) this.#ending.abort()
    }, CANCEL_POLL_MS)
    this.#channel.send({ type: 'begun' })
  }

  /** The queue of the parent, which limits all its runs together. */
  #createQueue(): RunQueue {
    const channel = this.#channel
    return {
      running: 0,
      waiting: 0,
      isClosed: false,
      async acquire(signal) {
        const hasLowPriority = await new Promise<boolean>((resolve, reject) => {
          channel.onSlot = ({ error, hasLowPriority: isLow = false }) =>
            error ? reject(fromDetachedError(error)) : resolve(isLow)
          const giveUp = () => reject(cancelledError())
          if (signal.aborted) giveUp()
          signal.addEventListener('abort', giveUp, { once: true })
          channel.send({ type: 'slot-request' })
        })
        return { hasLowPriority, release: () => channel.send({ type: 'slot-release' }) }
      },
      close() {},
    }
  }
}
