import { toSkillsError } from '../../errors.ts'
import type { RequestLog } from '../telemetry/request-log.ts'

/** Parts of a server that are loaded again while it runs. */
export type ReloadPartName = 'configuration' | 'tokens' | 'policy' | 'skills'

/** The effect of loading a part again. */
export interface ReloadReport {
  /** Sentences for the log. */
  changes: readonly string[]
  /** Settings whose new values apply after a restart only. */
  needsRestart?: readonly string[]
}

/** A part of a server, with the way to load it again. */
export interface ReloadPart {
  name: ReloadPartName
  /** A text that differs after a change of its files; undefined if they are not followed. */
  stamp?(): string
  /** Calls the function after changes that no file shows. Returns a function that ends this. */
  follow?(onChange: () => void): () => void
  /** Loads the part. If it throws, nothing has changed. */
  load(): Promise<ReloadReport>
}

interface PartState {
  part: ReloadPart
  loadedStamp: string | undefined
  /** Seen once: a file that is still being written differs the next time. */
  seenStamp: string | undefined
  failure: string | undefined
}

/** Interval at which files are checked for changes. */
const CHECK_MS = 500

/** Loads parts of a server again, on request and when their files change. */
export class Reloader {
  #states: PartState[]
  #log: RequestLog
  #onResult: (name: ReloadPartName, result: 'loaded' | 'refused') => void
  #timer: NodeJS.Timeout | undefined
  #unfollow: (() => void)[] = []
  #queue: Promise<unknown> = Promise.resolve()

  constructor(
    parts: readonly ReloadPart[],
    log: RequestLog,
    onResult: (name: ReloadPartName, result: 'loaded' | 'refused') => void,
  ) {
    this.#log = log
    this.#onResult = onResult
    this.#states = parts.map((part) => {
      const stamp = part.stamp?.()
      return { part, loadedStamp: stamp, seenStamp: stamp, failure: undefined }
    })
  }

  /** Parts whose last loading was refused: the earlier state is in use. */
  get refused(): readonly ReloadPartName[] {
    return this.#states.flatMap(({ part, failure }) => (failure === undefined ? [] : [part.name]))
  }

  /** Loads all parts again, each completely or not at all. */
  async reload(): Promise<void> {
    await this.#inTurn(async () => {
      this.#log.write('info', 'Loading configuration, tokens, policy and skills again')
      for (const state of this.#states) await this.#load(state)
      this.#log.flush?.()
    })
  }

  /** Checks the files regularly until `stop`. */
  start(): void {
    if (this.#timer) return
    this.#timer = setInterval(() => void this.#inTurn(() => this.#check()), CHECK_MS).unref()
    this.#unfollow = this.#states.flatMap((state) => {
      const load = () => void this.#inTurn(async () => await this.#load(state))
      return state.part.follow ? [state.part.follow(load)] : []
    })
  }

  stop(): void {
    clearInterval(this.#timer)
    for (const unfollow of this.#unfollow) unfollow()
  }

  async #check(): Promise<void> {
    for (const state of this.#states) {
      const now = state.part.stamp?.()
      const isStill = now === state.seenStamp
      state.seenStamp = now
      if (now !== undefined && isStill && now !== state.loadedStamp) await this.#load(state)
    }
  }

  async #load(state: PartState): Promise<void> {
    const { part } = state
    // Precedes the reading: a change during it is loaded with the next check.
    state.loadedStamp = part.stamp?.()
    try {
      const { changes, needsRestart = [] } = await part.load()
      state.failure = undefined
      for (const change of changes) this.#log.write('info', change)
      for (const key of needsRestart) {
        this.#log.write('warn', `${key} changed: restart the server to apply it`)
      }
      this.#onResult(part.name, 'loaded')
    } catch (thrown) {
      const { message, hint } = toSkillsError(thrown)
      state.failure = message
      this.#log.write(
        'error',
        `A change of the ${part.name} is refused: the earlier state stays in use`,
        {
          reason: hint === undefined ? message : `${message}. ${hint}`,
        },
      )
      this.#onResult(part.name, 'refused')
    }
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#queue.then(work)
    this.#queue = turn.catch(() => {})
    await turn
  }
}
