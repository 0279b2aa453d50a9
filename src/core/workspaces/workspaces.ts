import { mkdirSync, renameSync } from 'node:fs'
import { rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import type { RunCall } from '../runs/run-call.ts'
import { chownToRunUid } from '../sandbox/guest-host/run-uid.ts'
import { measureFolder } from '../sandbox/rootfs/measure-folder.ts'
import { inStore } from '../storage/store-error.ts'
import { Sweeper } from '../storage/sweep.ts'
import { listNames, createOwnName, sweepLeftovers } from '../../util/leftovers.ts'
import { layOut, reopen, Workspace } from './workspace.ts'
import { emptyWorkspace, writeState } from './workspace-state.ts'

const DRAFTS = '.drafts'
const KEY = /^[0-9a-f]{40}$/
const EVERYTHING = { bytes: Infinity, entries: Infinity }
/** Another process may just be using it. */
const LATELY_MS = 60_000
/** How often what is in use is marked so, for other processes. */
const TOUCH_MS = 15_000

/** Who asks for a workspace. */
export type WorkspaceUse = Pick<RunCall, 'cwd' | 'env' | 'caller' | 'door' | 'gate'>

/** Called with each new workspace, which nobody else sees yet; where it fails, there is none. */
export type OnMade = (workspace: Workspace, call: WorkspaceUse) => Promise<void>

/** The workspaces of all sessions, in the data directory. Keys come from `sessionKey`. */
export class Workspaces {
  #dir: string
  #sweeper: Sweeper
  #limits: Config['workspace']
  #open = new Map<string, Promise<Workspace>>()
  #inUse = new Map<string, number>()
  #ready: Promise<unknown> | undefined
  #onMade: OnMade | undefined
  #touching: NodeJS.Timeout | undefined

  constructor(dir: string, limits: Config['workspace'], onMade?: OnMade) {
    this.#dir = dir
    this.#sweeper = new Sweeper(dir, async () => await this.#sweep())
    this.#limits = limits
    this.#onMade = onMade
  }

  /** Holds a session's workspace while something is done in it; made at its first use. */
  async use<T>(
    key: string,
    call: WorkspaceUse,
    work: (workspace: Workspace) => Promise<T>,
  ): Promise<T> {
    const release = this.hold(key)
    try {
      return await work(await this.open(key, call))
    } finally {
      release()
    }
  }

  /** Keeps a workspace from being removed until that is called. */
  hold(key: string): () => void {
    this.#inUse.set(key, (this.#inUse.get(key) ?? 0) + 1)
    this.#touching ??= setInterval(() => void this.touch(), TOUCH_MS).unref()
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const left = (this.#inUse.get(key) ?? 1) - 1
      if (left > 0) this.#inUse.set(key, left)
      else this.#inUse.delete(key)
      if (this.#inUse.size > 0) return
      clearInterval(this.#touching)
      this.#touching = undefined
    }
  }

  /** Tells other processes what is in use here, for as long as that takes. */
  async touch(): Promise<void> {
    for (const key of this.#inUse.keys()) await touchFolder(join(this.#dir, key)).catch(() => {})
  }

  /** Whoever asks first makes it, for all who ask meanwhile. */
  async open(key: string, call: WorkspaceUse): Promise<Workspace> {
    const known = this.#open.get(key)
    const opening = known ?? this.#openOrMake(key, call)
    this.#open.set(key, opening)
    try {
      const workspace = await opening
      await touchFolder(workspace.dir)
      if (!this.#inUse.has(key) || this.#inUse.get(key) === 1) workspace.reload()
      if (known) this.#sweeper.sweepIfDue()
      return workspace
    } catch (error) {
      if (this.#open.get(key) === opening) this.#open.delete(key)
      // It was removed by another process.
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (isGone && known) return await this.open(key, call)
      throw error
    }
  }

  /** Removes a session's workspace with all that is in it. */
  async remove(key: string): Promise<void> {
    this.#open.delete(key)
    const trash = join(this.#dir, DRAFTS, createOwnName())
    try {
      renameSync(join(this.#dir, key), trash)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    await rm(trash, { recursive: true, force: true })
  }

  /** Removes what nobody used for long, and what is too much, the longest unused first. */
  async sweep(): Promise<{ removed: number }> {
    return await inStore(this.#dir, async () => {
      if ((await listNames(this.#dir)).length === 0) return { removed: 0 }
      this.#ready ??= this.#prepare()
      await this.#ready
      return await this.#sweep()
    })
  }

  async #sweep(): Promise<{ removed: number }> {
    const { ttlMs, maxWorkspaces, quotaBytes } = this.#limits
    const found = await this.#all()
    let [count, bytes, removed] = [0, 0, 0]
    for (const { key, usedMs } of found) {
      const size = await measureFolder(join(this.#dir, key), EVERYTHING)
      const age = Date.now() - usedMs
      const isTooMuch = count + 1 > maxWorkspaces || bytes + size.bytes > quotaBytes
      if ((age > ttlMs || (isTooMuch && age > LATELY_MS)) && !this.#inUse.has(key)) {
        await this.remove(key)
        removed += 1
      } else {
        count += 1
        bytes += size.bytes
      }
    }
    return { removed }
  }

  async #openOrMake(key: string, call: WorkspaceUse): Promise<Workspace> {
    return await inStore(this.#dir, async () => {
      this.#ready ??= this.#prepare()
      await this.#ready
      this.#sweeper.sweepIfDue()
      const dir = join(this.#dir, key)
      return reopen(key, dir) ?? (await this.#make(key, { dir, call }))
    })
  }

  async #prepare(): Promise<void> {
    mkdirSync(join(this.#dir, DRAFTS), { recursive: true, mode: 0o700 })
    await sweepLeftovers(join(this.#dir, DRAFTS))
  }

  async #make(key: string, { dir, call }: { dir: string; call: WorkspaceUse }): Promise<Workspace> {
    if ((await listNames(this.#dir)).length > this.#limits.maxWorkspaces) await this.#sweep()
    const draft = join(this.#dir, DRAFTS, createOwnName())
    mkdirSync(draft, { mode: 0o700 })
    await layOut(draft, chownToRunUid)
    const state = emptyWorkspace()
    writeState(draft, state)
    const made = new Workspace(key, draft, state)
    try {
      await this.#onMade?.(made, call)
      renameSync(draft, dir)
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      // Another process made it meanwhile.
      const others = reopen(key, dir)
      if (others) return others
      throw error
    }
    return new Workspace(key, dir, made.state)
  }

  /** The one used last comes first. */
  async #all(): Promise<{ key: string; usedMs: number }[]> {
    const found: { key: string; usedMs: number }[] = []
    for (const key of (await listNames(this.#dir)).filter((name) => KEY.test(name))) {
      const there = await stat(join(this.#dir, key)).catch(() => undefined)
      if (there) found.push({ key, usedMs: there.mtimeMs })
    }
    return found.sort((a, b) => b.usedMs - a.usedMs)
  }
}

async function touchFolder(dir: string): Promise<void> {
  const now = new Date()
  await utimes(dir, now, now)
}
