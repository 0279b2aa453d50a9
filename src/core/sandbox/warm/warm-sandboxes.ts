import { randomInt, randomUUID } from 'node:crypto'
import { DEFAULT_PATH, findProgram } from '../../../util/find-program.ts'
import type { Interpreter, WarmOptions, WarmPool } from '../backend.ts'
import { encodeFilter, filterFor } from '../seccomp/seccomp.ts'
import { sweepStages } from '../rootfs/stage.ts'
import { SYSTEM_CALLS } from '../seccomp/system-calls.ts'
import { interpreterKey } from './interpreter-key.ts'
import type { ColdReason } from './path.ts'
import { SharedSkills } from './shared-skills.ts'
import { Spares } from './spares.ts'
import { seenAt, seenFolders, ToolFolders, type SeenFolder } from './tool-folders.ts'
import { makeZygoteFolder, type ZygoteFolder } from './zygote-folder.ts'
import { Zygote, type ZygoteUsers } from './zygote.ts'

/** A zygote is replaced after so many runs, long before its users run out. */
const MOST_FORKS = 10_000
const USERS = 2 * MOST_FORKS
const FIRST_USER = 1_879_048_192
const LAST_USER = FIRST_USER + 2 ** 27

/** Whoever starts a server mostly has something else to do right then. */
const FIRST_START_MS = 250
const QUIET_MS = 100
const MOST_TRIES = 10
const SHRINK_MS = 5000
const LONGEST_PAUSE_MS = 60_000
const LOOK_AGAIN_MS = 1000
/** Who lived longer, or forked as often, was no failed start: another one takes its place at once. */
const YOUNG_MS = 1000
const PROVED_FORKS = 20

/** A zygote that can fork, and what is kept for its runs. */
export interface Warm {
  zygote: Zygote
  spares: Spares
  skills: SharedSkills
  folder: ZygoteFolder
  seen: readonly SeenFolder[]
  key: string
}

/** Keeps one zygote at hand for the runs of this process, and a new one when that has had its time. */
export class WarmSandboxes implements WarmPool {
  /** Why there is no zygote, in the words of what did not start. */
  problem: string | undefined
  #options: WarmOptions
  #current: Warm | undefined
  #starting: Promise<void> | undefined
  #living = new Set<Zygote>()
  #mostForks: number
  #pauseMs = 0
  #lastColdAt = -Infinity
  #lookedAt = -Infinity
  #tools = new ToolFolders()
  #hasStarted = false
  #isOver = false
  #timers: NodeJS.Timeout[]

  constructor(options: WarmOptions) {
    this.#options = options
    this.#mostForks = options.mostForks ?? MOST_FORKS
    this.#timers = [
      setTimeout(() => this.#startWhenQuiet(), FIRST_START_MS),
      setInterval(() => this.#current?.spares.shrink(), SHRINK_MS),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  /** What can serve a run of this interpreter right now, or why nothing can. */
  find(interpreter: Interpreter, tools: readonly string[] = []): Warm | ColdReason {
    const warm = this.#current
    if (!warm) {
      this.#lastColdAt = performance.now()
      if (this.problem !== undefined) return 'not possible here'
      return this.#hasStarted ? 'restarting' : 'starting'
    }
    if (warm.key !== interpreterKey(interpreter)) {
      void this.#lookAgain(warm)
      return 'other interpreter'
    }
    const missing = tools.filter((source) => seenAt(warm.seen, source) === undefined)
    // All of them are counted.
    const isWorthIt = missing.map((source) => this.#tools.miss(source)).some(Boolean)
    if (isWorthIt) this.#replaceSoon(warm)
    if (missing.length > 0) return 'tools'
    if (warm.zygote.forks >= this.#mostForks) this.#replaceSoon(warm)
    return warm
  }

  /** The first runs of a process are not to be slower for what is to make later ones faster. */
  #startWhenQuiet(tries = 0): void {
    const isBusy = performance.now() - this.#lastColdAt < QUIET_MS
    if (!isBusy || tries === MOST_TRIES) return this.start()
    setTimeout(() => this.#startWhenQuiet(tries + 1), QUIET_MS).unref()
  }

  /** The zygote's first process, as the host numbers it. */
  get pid(): number | undefined {
    return this.#current?.zygote.pid
  }

  /** Begins with a zygote, unless there is one. */
  start(): void {
    if (this.#isOver || this.#current || this.#starting) return
    this.#starting = this.#begin()
      .catch((error: Error) => this.#failed(error))
      .finally(() => (this.#starting = undefined))
  }

  /** Resolves when a zygote is there, or it is known that none can be. */
  async settled(): Promise<void> {
    this.start()
    await this.#starting
  }

  /** Ends everything. */
  async stop(): Promise<void> {
    this.#isOver = true
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#starting
    this.#current?.spares.end()
    this.#current = undefined
    for (const zygote of this.#living) zygote.kill()
    await Promise.all([...this.#living].map(async (zygote) => await zygote.dead))
  }

  async #begin(): Promise<void> {
    const warm = await this.#make()
    if (this.#isOver) return warm.zygote.kill()
    const old = this.#current
    this.#current = warm
    this.#hasStarted = true
    this.problem = undefined
    const { limits } = this.#options
    // Forks wait for the runs that most have.
    if (limits) warm.spares.refill(limits, 'code')
    // Read before the first run needs it.
    await import('./start-warm.ts')
    const startedAt = performance.now()
    void warm.zygote.dead.then(() => this.#died(warm, performance.now() - startedAt))
    if (old) this.#retire(old)
  }

  async #make(): Promise<Warm> {
    const { env } = this.#options
    const interpreter = await this.#options.interpreter()
    const program = findProgram('bwrap', env['PATH'] ?? DEFAULT_PATH)
    const calls = SYSTEM_CALLS[process.arch]
    if (program === undefined) throw new Error('bubblewrap is not installed')
    if (!calls) throw new Error(`there is no filter for ${process.arch}`)
    sweepStages()
    const folder = makeZygoteFolder(`zygote-${randomUUID()}`, interpreter.compiled)
    const filter = encodeFilter(filterFor(calls))
    const seen = seenFolders(interpreter, this.#tools.wanted)
    const zygote = new Zygote({ program, folder, interpreter, seen, users: usersFor(), filter })
    this.#living.add(zygote)
    void zygote.dead.then(() => this.#living.delete(zygote))
    await zygote.ready
    return {
      zygote,
      folder,
      seen,
      spares: new Spares(zygote),
      skills: new SharedSkills(folder.staged),
      key: interpreterKey(interpreter),
    }
  }

  #failed(error: Error): void {
    this.problem = error.message
    this.#startLater()
  }

  #died(warm: Warm, afterMs: number): void {
    warm.spares.end()
    if (this.#current !== warm) return
    this.#current = undefined
    // One that dies at once is not started again and again.
    if (afterMs > YOUNG_MS || warm.zygote.forks >= PROVED_FORKS) this.#pauseMs = 0
    this.#startLater()
  }

  #startLater(): void {
    if (this.#isOver) return
    setTimeout(() => this.start(), this.#pauseMs).unref()
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(100, this.#pauseMs * 2))
  }

  /** Somebody has another interpreter, or all have one in another state. */
  async #lookAgain(warm: Warm): Promise<void> {
    if (performance.now() - this.#lookedAt < LOOK_AGAIN_MS) return
    this.#lookedAt = performance.now()
    const now = await this.#options.interpreter().catch(() => undefined)
    if (now && interpreterKey(now) !== warm.key && this.#current === warm) this.#replace(warm)
  }

  /** It serves no run any more. */
  #replace(warm: Warm): void {
    this.#current = undefined
    this.#retire(warm)
    this.start()
  }

  /** It serves until the next one can. */
  #replaceSoon(warm: Warm): void {
    // Its users run out before the next one is there.
    if (warm.zygote.forks > USERS - MOST_FORKS / 2) return this.#replace(warm)
    if (this.#isOver || this.#starting) return
    this.#starting = this.#begin()
      .catch(() => {})
      .finally(() => (this.#starting = undefined))
  }

  /** Ends it when its last run has. */
  #retire({ zygote, spares }: Warm): void {
    spares.end()
    zygote.retire()
  }
}

/** A range that nobody else hands out, and no run of any other zygote of ours is likely to have. */
function usersFor(): ZygoteUsers | undefined {
  if (process.getuid?.() !== 0) return undefined
  const own = FIRST_USER + randomInt(LAST_USER - FIRST_USER - USERS - 2)
  return { own, first: own + 1, count: USERS }
}
