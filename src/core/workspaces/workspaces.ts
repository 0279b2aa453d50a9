import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunCall } from '../runs/run-call.ts'
import { chownToRunUid } from '../sandbox/guest-host/run-uid.ts'
import { removeStagingFolder } from '../sandbox/rootfs/remove-staging-folder.ts'
import { measureFolder } from '../sandbox/rootfs/measure-folder.ts'
import { Spans } from '../../util/spans.ts'
import { withStoreErrors } from '../storage/store-error.ts'
import { Sweeper } from '../storage/sweep.ts'
import { listNames, createOwnName, sweepLeftovers } from '../../util/leftovers.ts'
import {
  createWorkspaceFolders,
  reopenWorkspace,
  Workspace,
  type WorkspaceLocation,
} from './workspace.ts'
import {
  createWorkspaceState,
  writeWorkspaceState,
  type WorkspaceState,
} from './workspace-state.ts'

const DRAFTS = '.drafts'
/** Artifacts of callers; they belong to no workspace and are not swept. */
const USERS = '.users'
const KEY = /^[0-9a-f]{40}$/
const NO_LIMITS = { bytes: Infinity, entries: Infinity }
/** A workspace used more recently may be in use by another process. */
const RECENT_USE_MS = 60_000
/** Interval for marking workspaces in use, for other processes. */
const TOUCH_MS = 15_000

/** Context of the call that requests a workspace. */
export type WorkspaceCall = Pick<RunCall, 'cwd' | 'env' | 'caller' | 'runQueue'>

/** Called with each new workspace before it is visible; if it fails, the workspace is discarded. */
export type OnWorkspaceCreated = (workspace: Workspace, call: WorkspaceCall) => Promise<void>

/** A sweep measures each workspace. */
const MAX_WORKSPACES = 1000

interface WorkspaceLimits {
  ttlMs: number
  quotaBytes: number
  maxWorkspaces?: number | undefined
}

interface WorkspacesOptions {
  onCreated?: OnWorkspaceCreated | undefined
  spans?: Spans
}

/** The workspaces of all sessions, in the data directory. Keys come from `deriveSessionKey`. */
export class Workspaces {
  #dir: string
  #spans: Spans
  #sweeper: Sweeper
  #limits: WorkspaceLimits
  #open = new Map<string, Promise<Workspace>>()
  #inUse = new Map<string, number>()
  #ready: Promise<unknown> | undefined
  #onCreated: OnWorkspaceCreated | undefined
  #touchTimer: NodeJS.Timeout | undefined

  constructor(
    dir: string,
    limits: WorkspaceLimits,
    { onCreated, spans = new Spans() }: WorkspacesOptions = {},
  ) {
    this.#spans = spans
    this.#dir = dir
    this.#sweeper = new Sweeper(dir, async () => await this.#sweep())
    this.#limits = limits
    this.#onCreated = onCreated
  }

  /**
   * Runs `work` in a session's workspace and prevents its removal meanwhile; creates it at its
   * first use.
   */
  async use<T>(
    key: string,
    call: WorkspaceCall,
    work: (workspace: Workspace) => Promise<T>,
  ): Promise<T> {
    const release = this.acquire(key)
    try {
      return await work(await this.open(key, call))
    } finally {
      release()
    }
  }

  /** Prevents removal of a workspace until the returned function is called. */
  acquire(key: string): () => void {
    this.#inUse.set(key, (this.#inUse.get(key) ?? 0) + 1)
    this.#touchTimer ??= setInterval(() => void this.touch(), TOUCH_MS).unref()
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      const left = (this.#inUse.get(key) ?? 1) - 1
      if (left > 0) this.#inUse.set(key, left)
      else this.#inUse.delete(key)
      if (this.#inUse.size > 0) return
      clearInterval(this.#touchTimer)
      this.#touchTimer = undefined
    }
  }

  /** Marks the workspaces in use, for other processes. */
  async touch(): Promise<void> {
    for (const key of this.#inUse.keys()) await touchFolder(join(this.#dir, key)).catch(() => {})
  }

  /** Opens or creates a workspace; concurrent callers share the result. */
  async open(key: string, call: WorkspaceCall): Promise<Workspace> {
    const existing = this.#open.get(key)
    const opening = existing ?? this.#openOrCreate(key, call)
    this.#open.set(key, opening)
    try {
      const workspace = await opening
      await touchFolder(workspace.dir)
      if (!this.#inUse.has(key) || this.#inUse.get(key) === 1) workspace.reload()
      if (existing) this.#sweeper.sweepIfDue()
      return workspace
    } catch (error) {
      if (this.#open.get(key) === opening) this.#open.delete(key)
      // Another process has removed it.
      const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
      if (isGone && existing) return await this.open(key, call)
      throw error
    }
  }

  /** Folder of a workspace; undefined if there is none. */
  find(key: string): string | undefined {
    const dir = join(this.#dir, key)
    return existsSync(join(dir, 'root')) ? dir : undefined
  }

  /** True while a call, a command or a sandbox uses the workspace. */
  isInUse(key: string): boolean {
    return this.#inUse.has(key)
  }

  /**
   * Replaces a workspace by a restored one. `fill` writes its files into the folder of a new workspace,
   * and returns its state.
   */
  async restore(key: string, fill: (dir: string) => Promise<WorkspaceState>): Promise<void> {
    await withStoreErrors(this.#dir, async () => {
      this.#ready ??= this.#prepare()
      await this.#ready
      const draft = join(this.#dir, DRAFTS, createOwnName())
      mkdirSync(draft, { mode: 0o700 })
      try {
        await createWorkspaceFolders(draft, chownToRunUid)
        writeWorkspaceState(draft, await fill(draft))
        await this.remove(key)
        renameSync(draft, join(this.#dir, key))
      } catch (error) {
        removeStagingFolder(draft)
        throw error
      }
    })
  }

  /** Removes a session's workspace with its content. */
  async remove(key: string): Promise<void> {
    this.#open.delete(key)
    const trash = join(this.#dir, DRAFTS, createOwnName())
    try {
      renameSync(join(this.#dir, key), trash)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    const attributes = { 'skills.workspace.key': key }
    this.#spans.record({ name: 'workspace.cleanup', attributes }, () => removeStagingFolder(trash))
  }

  /** Removes expired workspaces, then the least recently used ones beyond the limits. */
  async sweep(): Promise<{ removed: number }> {
    return await withStoreErrors(this.#dir, async () => {
      if ((await listNames(this.#dir)).length === 0) return { removed: 0 }
      this.#ready ??= this.#prepare()
      await this.#ready
      return await this.#sweep()
    })
  }

  async #sweep(): Promise<{ removed: number }> {
    const { ttlMs, maxWorkspaces = MAX_WORKSPACES, quotaBytes } = this.#limits
    const found = await this.#listByUse()
    let [count, bytes, removed] = [0, 0, 0]
    for (const { key, usedMs } of found) {
      const size = await measureFolder(join(this.#dir, key), NO_LIMITS)
      const age = Date.now() - usedMs
      const isTooMuch = count + 1 > maxWorkspaces || bytes + size.bytes > quotaBytes
      if ((age > ttlMs || (isTooMuch && age > RECENT_USE_MS)) && !this.#inUse.has(key)) {
        await this.remove(key)
        removed += 1
      } else {
        count += 1
        bytes += size.bytes
      }
    }
    return { removed }
  }

  async #openOrCreate(key: string, call: WorkspaceCall): Promise<Workspace> {
    return await withStoreErrors(this.#dir, async () => {
      this.#ready ??= this.#prepare()
      await this.#ready
      this.#sweeper.sweepIfDue()
      const userArtifacts = join(this.#dir, USERS, hashCaller(call.caller?.name))
      const dir = join(this.#dir, key)
      const location = { key, dir, userArtifacts, spans: this.#spans }
      const create = async () => await this.#create(location, call)
      const attributes = { 'skills.workspace.key': key }
      return (
        reopenWorkspace(location) ??
        (await this.#spans.record({ name: 'workspace.create', attributes }, create))
      )
    })
  }

  async #prepare(): Promise<void> {
    mkdirSync(join(this.#dir, DRAFTS), { recursive: true, mode: 0o700 })
    await sweepLeftovers(join(this.#dir, DRAFTS), removeStagingFolder)
  }

  async #create(location: WorkspaceLocation, call: WorkspaceCall): Promise<Workspace> {
    const { maxWorkspaces = MAX_WORKSPACES } = this.#limits
    if ((await listNames(this.#dir)).length > maxWorkspaces) await this.#sweep()
    const draft = join(this.#dir, DRAFTS, createOwnName())
    mkdirSync(draft, { mode: 0o700 })
    await createWorkspaceFolders(draft, chownToRunUid)
    const state = createWorkspaceState()
    writeWorkspaceState(draft, state)
    const created = new Workspace({ ...location, dir: draft }, state)
    try {
      await this.#onCreated?.(created, call)
      renameSync(draft, location.dir)
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      // Another process has created it meanwhile.
      const others = reopenWorkspace(location)
      if (others) return others
      throw error
    }
    return new Workspace(location, created.state)
  }

  /** Sorted from the most to the least recently used. */
  async #listByUse(): Promise<{ key: string; usedMs: number }[]> {
    const found: { key: string; usedMs: number }[] = []
    for (const key of (await listNames(this.#dir)).filter((name) => KEY.test(name))) {
      const stats = await stat(join(this.#dir, key)).catch(() => undefined)
      if (stats) found.push({ key, usedMs: stats.mtimeMs })
    }
    return found.sort((a, b) => b.usedMs - a.usedMs)
  }
}

function hashCaller(caller: string | undefined): string {
  const text = JSON.stringify([caller ?? null])
  return createHash('sha256').update(text).digest('hex').slice(0, 40)
}

async function touchFolder(dir: string): Promise<void> {
  const now = new Date()
  await utimes(dir, now, now)
}
