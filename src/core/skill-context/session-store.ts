import { link, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeSynced } from '../../util/durable-file.ts'
import { sealJson } from '../../util/sealed-json.ts'
import { listNames, createOwnName, sweepLeftovers } from '../../util/leftovers.ts'
import { withStoreErrors } from '../storage/store-error.ts'
import { Sweeper } from '../storage/sweep.ts'
import { KeyedQueue } from './keyed-queue.ts'
import { parseSessionState } from './read-session-state.ts'
import { createSessionState, type SessionState } from './session-state.ts'

/** Sessions that were not used for this long are removed. */
export const SESSION_TTL_MS: number = 30 * 24 * 3_600_000
/** Maximum number of sessions; the least recently used ones are removed. */
export const MAX_SESSIONS = 10_000

/** Loaded skills of agents' sessions, in the data directory. Keys come from `deriveSessionKey`. */
export interface SessionStore {
  /** Empty if nothing was loaded yet. */
  read(key: string): Promise<SessionState>
  /** Changes a session; concurrent changes by several processes are all applied. */
  update<T>(key: string, change: StateChange<T>): Promise<T>
  remove(key: string): Promise<void>
  /** Lists all sessions, the most recently changed one first. */
  list(): Promise<SessionListing[]>
  /** Removes expired sessions and those beyond the maximum. */
  sweep(): Promise<void>
}

export interface SessionListing {
  key: string
  /** Time of the last change, in milliseconds since 1970. */
  changedAt: number
}

interface StateUpdate<T> {
  state: SessionState
  value: T
}

export interface SessionLimits {
  ttlMs?: number
  maxSessions?: number
}

/**
 * Each state is a file with an increasing number as its name. A new state is linked under the next
 * number; if another process has taken it, the change is applied again to the newer state.
 */
export function openSessionStore(dir: string, limits: SessionLimits = {}): SessionStore {
  return new FileSessionStore(dir, limits)
}

class FileSessionStore implements SessionStore {
  #dir: string
  #sweeper: Sweeper
  #ttlMs: number
  #maxSessions: number
  #ready: Promise<void> | undefined
  /** Serializes changes of one session within this process. */
  #queue = new KeyedQueue()

  constructor(dir: string, { ttlMs = SESSION_TTL_MS, maxSessions = MAX_SESSIONS }: SessionLimits) {
    this.#dir = dir
    this.#sweeper = new Sweeper(dir, async () => await this.sweep())
    this.#ttlMs = ttlMs
    this.#maxSessions = maxSessions
  }

  async read(key: string): Promise<SessionState> {
    return await withStoreErrors(this.#dir, async () => {
      return (await readNewestState(join(this.#dir, key)))?.state ?? createSessionState()
    })
  }

  async update<T>(key: string, change: StateChange<T>): Promise<T> {
    return await this.#queue.run(key, async () => {
      return await withStoreErrors(this.#dir, async () => await this.#applyChange(key, change))
    })
  }

  async remove(key: string): Promise<void> {
    await withStoreErrors(this.#dir, async () => await removeSession(join(this.#dir, key)))
  }

  async list(): Promise<SessionListing[]> {
    return await withStoreErrors(this.#dir, async () => {
      const found: SessionListing[] = []
      for (const key of await listNames(this.#dir)) {
        const folder = join(this.#dir, key)
        const stats = key.startsWith('.') ? undefined : await stat(folder).catch(() => undefined)
        if (stats) found.push({ key, changedAt: stats.mtimeMs })
      }
      return found.sort((a, b) => b.changedAt - a.changedAt || (a.key < b.key ? -1 : 1))
    })
  }

  async sweep(): Promise<void> {
    const oldest = Date.now() - this.#ttlMs
    for (const [index, { key, changedAt }] of (await this.list()).entries()) {
      if (index < this.#maxSessions && changedAt >= oldest) continue
      await removeSession(join(this.#dir, key))
    }
  }

  async #applyChange<T>(key: string, change: StateChange<T>): Promise<T> {
    this.#ready ??= this.#prepare()
    await this.#ready
    this.#sweeper.sweepIfDue()
    const folder = join(this.#dir, key)
    for (;;) {
      const before = await readNewestState(folder)
      const { state, value } = await change(before?.state ?? createSessionState())
      if (state === before?.state) return value
      if (!before) await this.#createFolder(folder)
      if (await this.#publish(folder, (before?.number ?? 0) + 1, state)) return value
    }
  }

  async #prepare(): Promise<void> {
    const drafts = join(this.#dir, DRAFTS)
    await mkdir(drafts, { recursive: true, mode: 0o700 })
    await sweepLeftovers(drafts)
  }

  async #createFolder(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const sessions = (await listNames(this.#dir)).filter((name) => !name.startsWith('.'))
    if (sessions.length > this.#maxSessions) await this.sweep()
  }

  /** False if another process has taken the number, or has removed the session. */
  async #publish(folder: string, number: number, state: SessionState): Promise<boolean> {
    const draft = join(this.#dir, DRAFTS, createOwnName())
    await writeSynced(draft, sealJson(state))
    const target = join(folder, String(number))
    try {
      await link(draft, target)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'EEXIST' || code === 'ENOENT') return false
      throw error
    } finally {
      await rm(draft, { force: true })
    }
    const numbers = await listStateNumbers(folder)
    if (numbers.some((each) => each > number)) {
      // The number was free because another process removed it after publishing newer ones.
      await rm(target, { force: true })
      return false
    }
    await syncFolder(folder)
    for (const old of numbers.filter((each) => each < number)) {
      await rm(join(folder, String(old)), { force: true })
    }
    return true
  }
}

const DRAFTS = '.drafts'

/** Computes the next state. It is called again if another writer was first. */
export type StateChange<T> = (state: SessionState) => Promise<StateUpdate<T>>

async function readNewestState(
  folder: string,
): Promise<{ number: number; state: SessionState } | undefined> {
  for (;;) {
    const number = Math.max(0, ...(await listStateNumbers(folder)))
    if (number === 0) return undefined
    try {
      return {
        number,
        state: parseSessionState(await readFile(join(folder, String(number)), 'utf8')),
      }
    } catch (error) {
      // A newer state has replaced this one.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

async function listStateNumbers(folder: string): Promise<number[]> {
  return (await listNames(folder)).map(Number).filter(Number.isInteger)
}

async function removeSession(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
}
