import { setTimeout as sleep } from 'node:timers/promises'
import type { Method } from '../../core/methods/method.ts'
import { resolveKernelOwner } from '../../core/runs/kernels/kernel-owner.ts'
import type { RunCall } from '../../core/runs/run-call.ts'
import type { Services } from '../../core/services.ts'
import type { Engine } from '../engine/engine.ts'
import type { HomeRef } from '../messages/call-messages.ts'
import type { NodeIdentity } from '../node/identity.ts'
import {
  getWorkspaceOfHome,
  readHome,
  replaceHome,
  type FreeHome,
  type Home,
} from './home-record.ts'
import { HomeWorkspace } from './home-workspace.ts'
import { sessionMovedError } from './notices.ts'

export interface SessionHomesOptions {
  engine: Engine
  identity: NodeIdentity
  services: Pick<Services, 'config' | 'workspaces' | 'liveSessions' | 'sharedSandboxes' | 'kernels'>
}

/** A call that uses a home. */
export interface HomeCall {
  method: Pick<Method, 'name' | 'effect'>
  call: Pick<RunCall, 'caller'>
  params: unknown
}

interface HeldHome {
  key: string
  generation: number
  seq: number
  /** Undefined for kernels, which have no files. */
  workspace: HomeWorkspace | undefined
  /** Owner of kernels, known from their first call. */
  owner: string | undefined
  calls: number
  leaving: Promise<void> | undefined
  wasInUse: boolean
}

const TICK_MS = 15_000
const DRAIN_CHECK_MS = 100
const MAX_ENTRIES = 50_000
const MAX_DEPTH = 200
/** Part of the lifetime of a workspace after which its record is renewed. */
const RENEW_PART = 1 / 4

/** Results of these methods have no place for warnings. */
const WITHOUT_WARNINGS = /_kill_session$/

/** The sessions and kernels whose home this worker is. */
export class SessionHomes {
  #options: SessionHomesOptions
  #entries = new Map<string, HeldHome>()
  #opening = new Map<string, Promise<boolean>>()
  #timer: NodeJS.Timeout

  constructor(options: SessionHomesOptions) {
    this.#options = options
    this.#timer = setInterval(() => void this.#tick(), TICK_MS).unref()
  }

  /**
   * Begins a call of a session, and returns a function that ends it. Undefined if this worker is not the
   * home of the session any more.
   */
  async enter({ key, generation }: HomeRef): Promise<(() => void) | undefined> {
    for (;;) {
      const entry = this.#entries.get(key)
      if (entry?.leaving) await entry.leaving
      else if (entry?.generation === generation) {
        entry.calls += 1
        return () => void (entry.calls -= 1)
      } else if (entry && entry.generation > generation) return undefined
      else if (!(await this.#open({ key, generation }))) return undefined
    }
  }

  /** Performs a call that has entered, and adds warnings about its workspace to the result. */
  async perform(
    { key, generation }: HomeRef,
    { method, call, params }: HomeCall,
    work: () => Promise<unknown>,
  ): Promise<unknown> {
    const entry = this.#entries.get(key)
    if (entry?.generation !== generation) throw sessionMovedError()
    const { session } = params as { session?: string }
    entry.owner ??= resolveKernelOwner(call.caller, session)
    const { workspace } = entry
    if (!workspace) return await work()
    try {
      const result = await workspace.perform(work, method.effect !== 'read')
      return WITHOUT_WARNINGS.test(method.name) ? result : addWarnings(result, workspace)
    } catch (error) {
      if (workspace.isLost) await this.#discard(entry)
      throw error
    }
  }

  /** Gives all homes up: those with interactive processes when these end, or after the time. */
  async drain(limitMs: number): Promise<void> {
    const until = performance.now() + limitMs
    while (this.#entries.size > 0) {
      const isOver = performance.now() >= until
      await Promise.all(
        [...this.#entries.values()].map(async (entry) => {
          if (isOver) await this.#endProcesses(entry)
          if (entry.calls === 0 && (isOver || !(await this.#hasProcesses(entry))))
            await this.#free(entry, isOver)
        }),
      )
      if (this.#entries.size > 0) await sleep(DRAIN_CHECK_MS)
    }
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #open(ref: HomeRef): Promise<boolean> {
    const opening = this.#opening.get(ref.key) ?? this.#readAndOpen(ref)
    this.#opening.set(ref.key, opening)
    try {
      return await opening
    } finally {
      this.#opening.delete(ref.key)
    }
  }

  async #readAndOpen({ key, generation }: HomeRef): Promise<boolean> {
    const { engine, identity } = this.#options
    const outdated = this.#entries.get(key)
    if (outdated) await this.#discard(outdated)
    const stored = await readHome(engine, key)
    const record = stored?.record
    const isOwn =
      record?.node === identity.name &&
      record.start === identity.start &&
      record.generation === generation
    if (!isOwn) return false
    const { seq, storedAt } = stored as { seq: number; storedAt: number }
    this.#entries.set(key, {
      key,
      generation,
      seq,
      workspace: await this.#openWorkspace(key, { record, seq, storedAt }),
      owner: undefined,
      calls: 0,
      leaving: undefined,
      wasInUse: false,
    })
    return true
  }

  async #openWorkspace(
    key: string,
    stored: { record: Home; seq: number; storedAt: number },
  ): Promise<HomeWorkspace | undefined> {
    const workspace = getWorkspaceOfHome(key)
    if (workspace === undefined) return undefined
    const { engine, services } = this.#options
    const { config } = services
    const options = {
      engine,
      workspaces: await services.workspaces(),
      limits: { entries: MAX_ENTRIES, bytes: config.run.limits.workspaceBytes, depth: MAX_DEPTH },
      renewMs: config.store.ttlMs * RENEW_PART,
      key,
      workspace,
    }
    return new HomeWorkspace(options, stored)
  }

  /** True if an interactive command or a kernel runs. */
  async #hasProcesses({ key, owner }: HeldHome): Promise<boolean> {
    const { services } = this.#options
    const workspace = getWorkspaceOfHome(key)
    if (workspace !== undefined && (await services.liveSessions()).hasRunning(workspace))
      return true
    return owner !== undefined && (await services.kernels()).list(owner).length > 0
  }

  async #endProcesses({ key, owner }: HeldHome): Promise<void> {
    const { services } = this.#options
    const workspace = getWorkspaceOfHome(key)
    if (workspace !== undefined) {
      await (await services.liveSessions()).endSession(workspace)
      await (await services.sharedSandboxes()).endSession(workspace)
    }
    if (owner !== undefined) await (await services.kernels()).endOwner(owner)
  }

  /** Stores a last snapshot, and frees the home for another worker. */
  async #free(entry: HeldHome, isOver: boolean): Promise<void> {
    entry.leaving ??= this.#leave(entry)
      .then(async () => await this.#forget(entry))
      .catch(async () => {
        // Without the engine, a snapshot that was stored before stays the last one.
        if (isOver) await this.#forget(entry)
        else entry.leaving = undefined
      })
    await entry.leaving
  }

  async #leave(entry: HeldHome): Promise<void> {
    const { engine, identity } = this.#options
    const { key, generation, workspace } = entry
    const from = { node: identity.name, why: 'drained' } as const
    const hadProcesses = await this.#hasProcesses(entry)
    await this.#endProcesses(entry)
    let record: FreeHome = { node: null, generation, ...(hadProcesses && { from }) }
    if (workspace) {
      await workspace.save({ isPatient: true })
      const { snapshot } = workspace.record
      record = { node: null, generation, ...(snapshot && { snapshot, from }) }
    }
    await replaceHome(engine, key, { record, seq: workspace?.seq ?? entry.seq })
  }

  /** Ends everything of a session that another worker has. */
  async #discard(entry: HeldHome): Promise<void> {
    await this.#endProcesses(entry)
    await this.#forget(entry)
  }

  async #forget(entry: HeldHome): Promise<void> {
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key)
    const workspace = getWorkspaceOfHome(entry.key)
    if (workspace === undefined) return
    await (await this.#options.services.workspaces()).remove(workspace)
  }

  /** Stores the changes of processes that run between calls. */
  async #tick(): Promise<void> {
    const workspaces = await this.#options.services.workspaces()
    for (const entry of this.#entries.values()) {
      const { key, workspace, calls, leaving, wasInUse } = entry
      const isInUse = workspaces.isInUse(getWorkspaceOfHome(key) ?? '')
      entry.wasInUse = isInUse
      if (!workspace || calls > 0 || leaving || !(isInUse || wasInUse)) continue
      try {
        await workspace.save({ isPatient: true })
        await workspace.checkRecord()
      } catch {
        if (workspace.isLost) await this.#discard(entry)
      }
    }
  }
}

function addWarnings(result: unknown, workspace: HomeWorkspace): unknown {
  const notices = workspace.takeNotices()
  if (notices.length === 0 || typeof result !== 'object' || result === null) return result
  const { warnings = [] } = result as { warnings?: string[] }
  return { ...result, warnings: [...warnings, ...notices] }
}
