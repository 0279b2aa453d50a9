import { randomInt, randomUUID } from 'node:crypto'
import type { Interpreter, WarmOptions, WarmPool } from '../backend.ts'
import { encodeFilter, buildFilter } from '../seccomp/seccomp.ts'
import type { Launcher } from '../linux/launcher.ts'
import { sweepStagingFolders } from '../rootfs/stage-files.ts'
import { SYSTEM_CALLS } from '../seccomp/system-calls.ts'
import { computeInterpreterKey } from './interpreter-key.ts'
import type { ColdReason } from './sandbox-start.ts'
import { SharedSkills } from './shared-skills.ts'
import { ForkPool } from './fork-pool.ts'
import { mapIntoZygote, ToolFolders, type ZygoteMount } from './tool-folders.ts'
import { listZygoteMounts } from './zygote-mounts.ts'
import { createZygoteFolder, type ZygoteFolder } from './zygote-folder.ts'
import { Zygote, type ZygoteUsers } from './zygote.ts'

/** Forks after which a zygote is replaced, well before its user ids run out. */
const DEFAULT_MAX_FORKS = 10_000
const ZYGOTE_UID_COUNT = 2 * DEFAULT_MAX_FORKS
const FIRST_ZYGOTE_UID = 1_879_048_192
const LAST_ZYGOTE_UID = FIRST_ZYGOTE_UID + 2 ** 27

/** Delay of the first start: a server is usually busy right after its own start. */
const FIRST_START_MS = 250
const QUIET_MS = 100
const MAX_QUIET_CHECKS = 10
const SHRINK_MS = 5000
const MAX_PAUSE_MS = 60_000
const RECHECK_MS = 1000
/**
 * A zygote that lived at least this long, or forked at least this often, started successfully: its
 * replacement starts without a pause.
 */
const MIN_LIFETIME_MS = 1000
const MIN_PROVEN_FORKS = 20

/** A running zygote with the resources of its runs. */
export interface WarmZygote {
  zygote: Zygote
  forks: ForkPool
  skills: SharedSkills
  folder: ZygoteFolder
  mounts: readonly ZygoteMount[]
  key: string
}

/**
 * Keeps one zygote running for the runs of this process, and replaces it when it has served its
 * forks.
 */
export class WarmSandboxes implements WarmPool {
  /** Message of the last start, if it failed. */
  problem: string | undefined
  #options: WarmOptions
  #launcher: Launcher
  #current: WarmZygote | undefined
  #starting: Promise<void> | undefined
  #living = new Set<Zygote>()
  #maxForks: number
  #pauseMs = 0
  #lastColdAt = -Infinity
  #coldRuns = 0
  #recheckedAt = -Infinity
  #tools = new ToolFolders()
  #hasStarted = false
  #isOver = false
  #timers: NodeJS.Timeout[]

  constructor(options: WarmOptions, launcher: Launcher) {
    this.#options = options
    this.#launcher = launcher
    this.#maxForks = options.maxForks ?? DEFAULT_MAX_FORKS
    this.#timers = [
      setTimeout(() => this.#startWhenQuiet(), FIRST_START_MS),
      setInterval(() => this.#current?.forks.shrink(), SHRINK_MS),
    ]
    for (const timer of this.#timers) timer.unref()
  }

  /** Returns the zygote that can serve this run now, or the reason for a cold start. */
  findZygote(interpreter: Interpreter, tools: readonly string[] = []): WarmZygote | ColdReason {
    const warm = this.#current
    if (!warm) {
      this.#lastColdAt = performance.now()
      if (this.problem !== undefined) return 'not possible here'
      return this.#hasStarted ? 'restarting' : 'starting'
    }
    if (warm.key !== computeInterpreterKey(interpreter)) {
      void this.#recheckInterpreter(warm)
      return 'other interpreter'
    }
    const missing = tools.filter((source) => mapIntoZygote(warm.mounts, source) === undefined)
    // Every miss must be counted, so `some` runs on the complete list of results.
    const shouldReplace = missing.map((source) => this.#tools.recordMiss(source)).some(Boolean)
    if (shouldReplace) this.#replaceSoon(warm)
    if (missing.length > 0) return 'tools'
    if (warm.zygote.forks >= this.#maxForks) this.#replaceSoon(warm)
    return warm
  }

  /** Counts a cold run until its end: the start of a zygote would compete with it. */
  trackColdRun(exited: Promise<unknown>): void {
    this.#coldRuns += 1
    const end = () => {
      this.#coldRuns -= 1
      this.#lastColdAt = performance.now()
    }
    exited.then(end, end)
  }

  /** Delays the start so that it does not slow down the first runs of a process. */
  #startWhenQuiet(tries = 0): void {
    const isBusy = this.#coldRuns > 0 || performance.now() - this.#lastColdAt < QUIET_MS
    if (!isBusy || tries === MAX_QUIET_CHECKS) return this.start()
    setTimeout(() => this.#startWhenQuiet(tries + 1), QUIET_MS).unref()
  }

  /** Host PID of the zygote's first process. */
  get pid(): number | undefined {
    return this.#current?.zygote.pid
  }

  /** Starts a zygote unless one is running. */
  start(): void {
    if (this.#isOver || this.#current || this.#starting) return
    this.#starting = this.#startZygote()
      .catch((error: Error) => this.#onStartFailed(error))
      .finally(() => (this.#starting = undefined))
  }

  /** Resolves when a zygote is ready, or its start has failed. */
  async waitUntilSettled(): Promise<void> {
    this.start()
    await this.#starting
  }

  /** Stops everything. */
  async stop(): Promise<void> {
    this.#isOver = true
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#starting
    this.#current?.forks.stop()
    this.#current = undefined
    for (const zygote of this.#living) zygote.kill()
    await Promise.all([...this.#living].map(async (zygote) => await zygote.dead))
  }

  async #startZygote(): Promise<void> {
    const warm = await this.#createZygote()
    if (this.#isOver) return warm.zygote.kill()
    const previous = this.#current
    this.#current = warm
    this.#hasStarted = true
    this.problem = undefined
    const { limits } = this.#options
    // Most runs have these limits.
    if (limits) warm.forks.refill(limits, 'code')
    // Imported now, so that the first run does not wait for it.
    await import('./start-warm.ts')
    const startedAt = performance.now()
    void warm.zygote.dead.then(() => this.#onZygoteDied(warm, performance.now() - startedAt))
    if (previous) this.#retire(previous)
  }

  async #createZygote(): Promise<WarmZygote> {
    const { env } = this.#options
    const interpreter = await this.#options.interpreter()
    const calls = SYSTEM_CALLS[process.arch]
    this.#launcher.check(env)
    if (!calls) throw new Error(`there is no filter for ${process.arch}`)
    sweepStagingFolders()
    const folder = createZygoteFolder(`zygote-${randomUUID()}`, interpreter.compiled)
    const filter = encodeFilter(buildFilter(calls))
    const mounts = listZygoteMounts(folder, interpreter, this.#tools.requested)
    const zygote = new Zygote({
      launcher: this.#launcher,
      env,
      folder,
      interpreter,
      mounts,
      users: allocateZygoteUsers(),
      filter,
    })
    this.#living.add(zygote)
    void zygote.dead.then(() => this.#living.delete(zygote))
    await zygote.ready
    return {
      zygote,
      folder,
      mounts,
      forks: new ForkPool(zygote),
      skills: new SharedSkills(folder.staged),
      key: computeInterpreterKey(interpreter),
    }
  }

  #onStartFailed(error: Error): void {
    this.problem = error.message
    this.#startLater()
  }

  #onZygoteDied(warm: WarmZygote, lifetimeMs: number): void {
    warm.forks.stop()
    if (this.#current !== warm) return
    this.#current = undefined
    // Zygotes that die immediately are restarted after increasing pauses.
    if (lifetimeMs > MIN_LIFETIME_MS || warm.zygote.forks >= MIN_PROVEN_FORKS) this.#pauseMs = 0
    this.#startLater()
  }

  #startLater(): void {
    if (this.#isOver) return
    setTimeout(() => this.start(), this.#pauseMs).unref()
    this.#pauseMs = Math.min(MAX_PAUSE_MS, Math.max(100, this.#pauseMs * 2))
  }

  /** Replaces the zygote if the installed interpreter has changed, not only that of one run. */
  async #recheckInterpreter(warm: WarmZygote): Promise<void> {
    if (performance.now() - this.#recheckedAt < RECHECK_MS) return
    this.#recheckedAt = performance.now()
    const installed = await this.#options.interpreter().catch(() => undefined)
    if (installed && computeInterpreterKey(installed) !== warm.key && this.#current === warm)
      this.#replace(warm)
  }

  /** Replaces a zygote that must not serve any more runs. */
  #replace(warm: WarmZygote): void {
    this.#current = undefined
    this.#retire(warm)
    this.start()
  }

  /** Replaces a zygote that serves until its successor is ready. */
  #replaceSoon(warm: WarmZygote): void {
    // Its user ids could run out before the successor is ready.
    if (warm.zygote.forks > ZYGOTE_UID_COUNT - DEFAULT_MAX_FORKS / 2) return this.#replace(warm)
    if (this.#isOver || this.#starting) return
    this.#starting = this.#startZygote()
      .catch(() => {})
      .finally(() => (this.#starting = undefined))
  }

  /** Ends the zygote after its last run. */
  #retire({ zygote, forks }: WarmZygote): void {
    forks.stop()
    zygote.retire()
  }
}

/**
 * Allocates a random range of user ids that no other tool assigns and that another zygote is
 * unlikely to have.
 */
function allocateZygoteUsers(): ZygoteUsers | undefined {
  if (process.getuid?.() !== 0) return undefined
  const ownUid =
    FIRST_ZYGOTE_UID + randomInt(LAST_ZYGOTE_UID - FIRST_ZYGOTE_UID - ZYGOTE_UID_COUNT - 2)
  return { ownUid, first: ownUid + 1, count: ZYGOTE_UID_COUNT }
}
