import { refusedParam, SkillsError } from '../../../errors.ts'
import { LiveSession, type LiveSessionOptions } from './live-session.ts'

const SWEEP_MS = 15_000
/** Time for which the result of an ended session is available. */
const RETENTION_MS = 1_800_000

/** Interactive commands of this process. */
export class LiveSessions {
  readonly #limits: { maxSessions: number; sessionIdleMs: number }
  readonly #all = new Map<string, LiveSession<unknown>>()
  #timer: NodeJS.Timeout | undefined

  constructor(limits: { maxSessions: number; sessionIdleMs: number }) {
    this.#limits = limits
  }

  /** Throws `run/busy` if too many are running. */
  start<Result>(start: LiveSessionOptions<Result>): LiveSession<Result> {
    this.sweep()
    const running = [...this.#all.values()].filter(({ isRunning }) => isRunning)
    if (running.length >= this.#limits.maxSessions)
      throw tooManySessionsError(this.#limits.maxSessions)
    const session = new LiveSession(start)
    this.#all.set(session.id, session)
    this.#timer ??= setInterval(() => this.sweep(), SWEEP_MS).unref()
    return session
  }

  /** Throws if this workspace has no session with this id for these tools. */
  get(id: string, key: string, tools: 'skill' | 'workspace' | 'any'): LiveSession<unknown> {
    this.sweep()
    const session = this.#all.get(id)
    if (session?.key === key && (tools === 'any' || session.tools === tools)) return session
    const reason = id === '' ? 'session_id is required' : `unknown session_id: ${id.slice(0, 100)}`
    throw refusedParam('session_id', reason)
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
      else if (
        session.isRunning &&
        !session.isAttended &&
        now - touchedMs > this.#limits.sessionIdleMs
      ) {
        void session.kill().catch(() => {})
      }
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
    hint: 'End some of them, or raise workspace.max_sessions in skills.config.toml',
  })
}
