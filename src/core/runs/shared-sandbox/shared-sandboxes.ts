import { randomUUID } from 'node:crypto'
import { SkillsError } from '../../../errors.ts'
import type { Limits } from '../../sandbox/backend.ts'
import type { ReleaseSession } from '../job.ts'
import { SHARED_SANDBOX_IDLE_MS } from '../../skill-context/prompt/command-rules.ts'
import { describeSharedEnd, type SharedSandboxBounds } from './describe-end.ts'
import { describeDifference, type SandboxFacts } from './sandbox-facts.ts'
import type { SharedSandbox } from './shared-sandbox.ts'

const MAX_SWEEP_MS = 15_000
/** Ends that later commands are still informed about. */
const MAX_ENDS = 1000

/** A sandbox that a command requests. */
export interface SharedSandboxRequest {
  session: string
  facts: SandboxFacts
  limits: Limits
  open(): Promise<SharedSandbox>
  /** Keeps the session's folders until the returned function is called. */
  acquire(): ReleaseSession
  warn(text: string): void
}

interface SharedEntry {
  session: string
  facts: SandboxFacts
  opening: Promise<SharedSandbox>
  sandbox: SharedSandbox | undefined
}

/** An idle sandbox costs little more than the memory of what runs in its background. */
const SHARED_SANDBOX_BOUNDS: SharedSandboxBounds = { max: 64, idleMs: SHARED_SANDBOX_IDLE_MS }

/** The living sandboxes of sessions: one for each session and set of permissions. */
export class SharedSandboxes {
  /** Identifies this runtime, to detect sandboxes that an earlier one has lost. */
  readonly id: string = randomUUID()
  readonly #bounds: SharedSandboxBounds
  readonly #entries = new Set<SharedEntry>()
  /** Reasons why sandboxes ended, by session and permissions. */
  readonly #ends = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(bounds: Partial<SharedSandboxBounds> = {}) {
    this.#bounds = { ...SHARED_SANDBOX_BOUNDS, ...bounds }
  }

  /** Returns the sandbox of a command; starts it if the session has none. */
  async get(request: SharedSandboxRequest): Promise<SharedSandbox> {
    const { session, facts } = request
    await this.sweep()
    const all = [...this.#entries].filter((each) => each.session === session)
    const existing = all.find(
      ({ facts: { key }, sandbox }) => key === facts.key && sandbox?.isOver !== true,
    )
    if (existing) return await existing.opening
    const other = all.find(({ sandbox }) => sandbox?.isOver !== true)
    const why = this.#ends.get(`${session} ${facts.key}`)
    if (why !== undefined) {
      request.warn(
        `The session's sandbox is a new one: the previous one ${why}, so its background processes and the files in /tmp are gone`,
      )
    } else if (other) request.warn(describeDifference(facts, other.facts))
    this.#makeRoom()
    return await this.#open(request)
  }

  /** Ends the sandboxes of a session. */
  async endSession(session: string): Promise<void> {
    await this.#endAll((each) => each.session === session, 'session')
    for (const key of this.#ends.keys()) {
      if (key.startsWith(`${session} `)) this.#ends.delete(key)
    }
  }

  /** Ends all sandboxes and starts no more. */
  async stop(): Promise<void> {
    this.#isOver = true
    await this.#endAll(() => true, 'stopped')
  }

  /** Ends sandboxes in which no command has run for long. */
  async sweep(): Promise<void> {
    const { idleMs } = this.#bounds
    const now = performance.now()
    await this.#endAll(
      ({ sandbox }) => sandbox !== undefined && !sandbox.isBusy && now - sandbox.usedMs > idleMs,
      'idle',
    )
  }

  async #open(request: SharedSandboxRequest): Promise<SharedSandbox> {
    if (this.#isOver) throw stoppedError()
    const { session, facts, limits } = request
    const release = request.acquire()
    const entry: SharedEntry = { session, facts, opening: request.open(), sandbox: undefined }
    this.#entries.add(entry)
    const remove = () => {
      this.#entries.delete(entry)
      const isLast = ![...this.#entries].some((each) => each.session === session)
      release({ isLast, isStopped: this.#isOver })
      if (this.#entries.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    const sweepMs = Math.max(50, Math.min(MAX_SWEEP_MS, this.#bounds.idleMs / 2))
    this.#timer ??= setInterval(() => void this.sweep().catch(() => {}), sweepMs).unref()
    try {
      const sandbox = await entry.opening
      entry.sandbox = sandbox
      void sandbox.exited
        .then((exit) =>
          this.#rememberEnd(
            entry,
            describeSharedEnd({ exit, endedFor: sandbox.endedFor, shared: this.#bounds, limits }),
          ),
        )
        .finally(remove)
      if (this.#isOver) sandbox.end('stopped')
      return sandbox
    } catch (error) {
      remove()
      throw error
    }
  }

  #rememberEnd({ session, facts }: SharedEntry, why: string | undefined): void {
    const key = `${session} ${facts.key}`
    this.#ends.delete(key)
    if (why === undefined) return
    this.#ends.set(key, why)
    const [oldest] = this.#ends.keys()
    if (this.#ends.size > MAX_ENDS && oldest !== undefined) this.#ends.delete(oldest)
  }

  /** Ends the sandbox without commands that was used least recently, if there are too many. */
  #makeRoom(): void {
    const living = [...this.#entries].filter(({ sandbox }) => sandbox?.isOver !== true)
    if (living.length < this.#bounds.max) return
    const idle = living.flatMap(({ sandbox }) => (sandbox && !sandbox.isBusy ? [sandbox] : []))
    const [oldest] = idle.sort((a, b) => a.usedMs - b.usedMs)
    if (!oldest) throw tooManySandboxesError(this.#bounds.max)
    oldest.end('crowd')
  }

  async #endAll(
    isSelected: (entry: SharedEntry) => boolean,
    why: 'session' | 'idle' | 'stopped',
  ): Promise<void> {
    const selected = [...this.#entries].filter(isSelected)
    await Promise.all(
      selected.map(async ({ opening }) => {
        const sandbox = await opening.catch(() => undefined)
        // A command may have begun while it was opening.
        if (!sandbox || (why === 'idle' && sandbox.isBusy)) return
        sandbox.end(why)
        await sandbox.exited
      }),
    )
  }
}

function tooManySandboxesError(maximum: number): SkillsError {
  return new SkillsError('run/busy', `The maximum of ${maximum} sandboxes of sessions is reached`, {
    hint: 'Wait for a command of another session',
  })
}

function stoppedError(): SkillsError {
  return new SkillsError('run/cancelled', 'The runtime is stopping')
}
