import { randomBytes } from 'node:crypto'
import { cancelledError, refusedParam, SkillsError } from '../../../errors.ts'
import type { RunCall } from '../../runs/run-call.ts'
import { LiveSession, type LiveSessionOptions } from './live-session.ts'

const SWEEP_MS = 15_000
const SESSION_ID = /^[0-9a-f]{24}$/
const LOST =
  'the runtime has restarted since, which ended the command; start it again, the files of the workspace are still there'
/** Time for which the result of an ended session is available. */
const RETENTION_MS = 1_800_000

/** A call that runs a command to its end, or starts one. */
interface PendingCall {
  key: string
  abort: AbortController
  done: Promise<unknown>
}

export interface LiveSessionBounds {
  max: number
  idleMs: number
}

/** A command whose caller has not asked for half an hour was forgotten. */
const LIVE_SESSION_BOUNDS: LiveSessionBounds = { max: 256, idleMs: 1_800_000 }

/** Interactive commands of this process, and calls that run or start a command. */
export class LiveSessions {
  readonly #bounds: LiveSessionBounds
  /** Beginning of the ids of this runtime. */
  readonly #mark = randomBytes(3).toString('hex')
  readonly #all = new Map<string, LiveSession<unknown>>()
  readonly #calls = new Set<PendingCall>()
  #timer: NodeJS.Timeout | undefined

  constructor(bounds: Partial<LiveSessionBounds> = {}) {
    this.#bounds = { ...LIVE_SESSION_BOUNDS, ...bounds }
  }

  /** Throws `run/busy` if too many are running. */
  start<Result>(start: LiveSessionOptions<Result>): LiveSession<Result> {
    this.sweep()
    const running = [...this.#all.values()].filter(({ isRunning }) => isRunning)
    if (running.length >= this.#bounds.max) throw tooManySessionsError(this.#bounds.max)
    const session = new LiveSession(`${this.#mark}${randomBytes(9).toString('hex')}`, start)
    this.#all.set(session.id, session)
    this.#timer ??= setInterval(() => this.sweep(), SWEEP_MS).unref()
    return session
  }

  /** Throws if this workspace has no session with this id for these tools. */
  get(id: string, key: string, tools: 'skill' | 'workspace' | 'any'): LiveSession<unknown> {
    this.sweep()
    const session = this.#all.get(id)
    if (session?.key === key && (tools === 'any' || session.tools === tools)) return session
    if (id === '') throw refusedParam('session_id', 'session_id is required')
    const reason = `unknown session_id: ${id.slice(0, 100)}`
    throw refusedParam('session_id', this.#isOfEarlierRuntime(id) ? `${reason}: ${LOST}` : reason)
  }

  /** Performs a call, which the end of its session cancels. */
  async perform<Result>(
    key: string,
    call: RunCall,
    work: (call: RunCall) => Promise<Result>,
  ): Promise<Result> {
    const abort = new AbortController()
    const signals = call.signal ? [call.signal, abort.signal] : [abort.signal]
    const done = work({ ...call, signal: AbortSignal.any(signals) })
    const pending = { key, abort, done }
    this.#calls.add(pending)
    try {
      const result = await done
      if (abort.signal.aborted) throw cancelledError()
      return result
    } finally {
      this.#calls.delete(pending)
    }
  }

  /** True while an interactive command of a session runs. */
  hasRunning(key: string): boolean {
    return [...this.#all.values()].some((session) => session.key === key && session.isRunning)
  }

  /** Kills the commands of one session. */
  async endSession(key: string): Promise<void> {
    const calls = [...this.#calls].filter((each) => each.key === key)
    for (const { abort } of calls) abort.abort()
    await Promise.allSettled(calls.map(async ({ done }) => await done))
    const all = [...this.#all.values()].filter((session) => session.key === key)
    for (const { id } of all) this.#all.delete(id)
    await Promise.all(all.map(async (session) => await session.dispose()))
  }

  #isOfEarlierRuntime(id: string): boolean {
    return SESSION_ID.test(id) && !id.startsWith(this.#mark)
  }

  forget(id: string): void {
    this.#all.delete(id)
  }

  /** Kills idle sessions, and removes those that ended long ago. */
  sweep(): void {
    const now = performance.now()
    for (const [id, session] of this.#all) {
      const { endedMs, touchedMs } = session
      if (endedMs !== undefined && now - Math.max(endedMs, touchedMs) > RETENTION_MS)
        this.#all.delete(id)
      else if (session.isRunning && !session.isAttended && now - touchedMs > this.#bounds.idleMs)
        void session.kill().catch(() => {})
    }
    if (this.#all.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Kills all sessions in parallel. */
  async endAll(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    const all = [...this.#all.values()]
    this.#all.clear()
    await Promise.all(all.map(async (session) => await session.dispose()))
  }
}

function tooManySessionsError(maximum: number): SkillsError {
  return new SkillsError('run/busy', `The maximum of ${maximum} interactive commands is reached`, {
    hint: 'End some of them first',
  })
}
