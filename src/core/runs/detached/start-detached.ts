import { fileURLToPath } from 'node:url'
import type { ChildProcess } from 'node:child_process'
import { cancelledError, refusedParam, SkillsError, toSkillsError } from '../../../errors.ts'
import { spawnRunner } from '../../host-programs/spawn-runner.ts'
import type { Services } from '../../services.ts'
import { checkRunId } from '../history/run-id.ts'
import { resolvePrincipal } from '../describe-request.ts'
import type { RunCall } from '../run-call.ts'
import { shiftCallTimes } from '../run-phases.ts'
import { fromDetachedError, toDetachedError } from './detached-error.ts'
import type { DetachedAnswer, DetachedRequest } from './detached-request.ts'
import type { DetachedEnd, DetachedStart, DetachedStore } from './detached-run.ts'
import { resolveDetachedPrincipal } from './find-run.ts'
import { type FromRunner, type RunnerRequest, type ToRunner } from './runner-message.ts'

/** The script of a runner, in the sources and in the built package. */
const RUNNER = fileURLToPath(
  new URL(`../../detached/main${import.meta.url.slice(-3)}`, import.meta.url),
)

type DetachingServices = Pick<
  Services,
  'config' | 'detached' | 'detachObstacle' | 'detachedStarts' | 'ids' | 'instruments' | 'runQueue'
>

/**
 * Starts a run in a process of its own, which outlives this one. Resolves when the run is authorized
 * and its acceptance is durable. Throws what the run would throw before that.
 */
export async function startDetached(
  services: DetachingServices,
  request: DetachedRequest,
  call: RunCall,
): Promise<DetachedAnswer> {
  checkDetachable(services, call)
  const id = call.runId === undefined ? services.ids.reserve() : checkRunId(call.runId)
  const signal = call.signal ?? new AbortController().signal
  const slot = await services.detachedStarts.acquire(signal, call.caller?.principal)
  try {
    const store = await services.detached()
    await reserveRun(store, describeStart(id, request, call), request)
    try {
      const answer = await new RunnerConnection(services, { ...call, runId: id, signal }).start(
        request,
      )
      if ('result' in answer) await store.remove(id)
      return answer
    } catch (error) {
      await store.remove(id)
      throw error
    }
  } finally {
    slot.release()
  }
}

/** Reserves the id and a share of the caller. */
async function reserveRun(
  store: DetachedStore,
  start: DetachedStart,
  request: DetachedRequest,
): Promise<void> {
  try {
    await store.create(start)
  } catch (error) {
    if (toSkillsError(error).code === 'run/busy') await request.auditRefusal(error)
    throw error
  }
}

function checkDetachable({ detachObstacle, instruments }: DetachingServices, call: RunCall): void {
  if (detachObstacle !== undefined) throw refusedParam('detach', detachObstacle)
  if (call.interactive || instruments?.inspect) {
    throw refusedParam('detach', 'A run that a user takes part in cannot be detached')
  }
}

function describeStart(id: string, { kind }: DetachedRequest, call: RunCall): DetachedStart {
  return {
    run_id: id,
    kind,
    who: resolvePrincipal(call.caller),
    principal: resolveDetachedPrincipal(call.caller),
    started_at: new Date().toISOString(),
  }
}

/** The connection of this process to the runner of one run. */
class RunnerConnection {
  #services: DetachingServices
  #call: RunCall & { runId: string; signal: AbortSignal }
  #child: ChildProcess
  #releaseSlot: (() => void) | undefined
  #isOver = false

  constructor(services: DetachingServices, call: RunCall & { runId: string; signal: AbortSignal }) {
    this.#services = services
    this.#call = call
    this.#child = spawnRunner(RUNNER, call)
  }

  async start(request: DetachedRequest): Promise<DetachedAnswer> {
    const { signal } = this.#call
    const cancel = () => this.#send({ type: 'cancel' })
    signal.addEventListener('abort', cancel, { once: true })
    try {
      return await new Promise<DetachedAnswer>((resolve, reject) => {
        this.#child.on('message', (message: FromRunner) => {
          if (message.type === 'ready') this.#sendRequest(request)
          else if (message.type === 'begun') resolve(this.#detach())
          else if (message.type === 'ended') settle(message.end, { resolve, reject })
          this.#handle(message)
        })
        // Emitted after the last message, also when the runner was killed.
        this.#child.once('disconnect', () => {
          this.#call.onEvent?.({ type: 'ended', result: undefined })
          this.#close()
          reject(signal.aborted ? cancelledError() : runnerDiedError())
        })
      })
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  #sendRequest({ kind, params }: DetachedRequest): void {
    const { env, cwd, caller, grants, keepIn, runId, times } = this.#call
    const { config } = this.#services
    const request: RunnerRequest = {
      config,
      kind,
      params,
      // A copy, because an environment that Node provides is no plain object.
      call: { env: { ...env }, cwd, caller, grants, keepIn, runId },
      times: shiftCallTimes(times, performance.timeOrigin),
    }
    this.#send({ type: 'start', request })
    if (this.#call.signal.aborted) this.#send({ type: 'cancel' })
  }

  #handle(message: FromRunner): void {
    if (message.type === 'slot-request') void this.#answerSlotRequest()
    else if (message.type === 'slot-release') this.#release()
    else if (message.type === 'event') this.#call.onEvent?.(message.event)
    else if (message.type === 'ended') {
      this.#call.onEvent?.({ type: 'ended', result: message.end.result })
    }
  }

  /** Queues the run among those of this process. */
  async #answerSlotRequest(): Promise<void> {
    const { runQueue = this.#services.runQueue, signal, caller } = this.#call
    try {
      const slot = await runQueue.acquire(signal, caller?.principal, caller?.maxRuns)
      if (this.#isOver) return slot.release()
      this.#releaseSlot = slot.release
      this.#call.onEvent?.({ type: 'admitted' })
      this.#send({ type: 'slot', hasLowPriority: slot.hasLowPriority })
    } catch (error) {
      // An error of the queue contains nothing of the caller.
      const sent = toDetachedError(toSkillsError(error), { text: (message) => message })
      this.#send({ type: 'slot', error: sent })
    }
  }

  /** Lets this process end before its run. */
  #detach(): DetachedAnswer {
    this.#call.onEvent?.({ type: 'detached' })
    this.#child.unref()
    this.#child.channel?.unref()
    // An entry point that stops does not wait for the slots of runs that go on.
    this.#call.closing?.addEventListener('abort', () => this.#close(), { once: true })
    return { runId: this.#call.runId }
  }

  #close(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#release()
    if (this.#child.connected) this.#child.disconnect()
  }

  #release(): void {
    this.#releaseSlot?.()
    this.#releaseSlot = undefined
  }

  /** A runner that is gone is reported by its exit. */
  #send(message: ToRunner): void {
    if (this.#child.connected) this.#child.send(message, () => {})
  }
}

/** Ends the start of a run that never began; has no effect after it began. */
function settle(
  end: DetachedEnd,
  {
    resolve,
    reject,
  }: { resolve: (answer: DetachedAnswer) => void; reject: (error: Error) => void },
): void {
  if (end.error) reject(fromDetachedError(end.error))
  else resolve({ result: end.result })
}

function runnerDiedError(): SkillsError {
  return new SkillsError(
    'run/interrupted',
    'The process of the detached run ended before the run began',
    {
      hint: 'Repeat the call',
    },
  )
}
