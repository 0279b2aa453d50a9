import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import { createOwnName, sweepLeftovers } from '../../../util/leftovers.ts'
import { isLeftBehind } from '../../../util/owner.ts'
import { withStoreErrors } from '../../storage/store-error.ts'
import { runIdTakenError } from '../history/open-record.ts'
import { checkRunId, isRunId } from '../history/run-id.ts'
import type { DetachedEnd, DetachedRun, DetachedStart, DetachedStore } from './detached-run.ts'
import { tooManyDetachedError } from './too-many-detached.ts'

/** Names of the files of one run. */
const START = 'start.json'
const OWNER = 'owner.json'
const END = 'end.json'
const CANCEL = 'cancel'
/** Folder of runs that are being created. */
const DRAFTS = 'drafts'

/** Maximum of ended runs of one caller: each new run reads the files of all. */
export const MAX_ENDED_PER_CALLER = 1000

export interface DetachedLimits {
  /** Maximum of detached runs of one caller at once. */
  perCaller: number
  /** Retention time of ended runs. */
  ttlMs: number
  /** Maximum of ended runs of one caller, and of the bytes of all results together. */
  ended: { perCaller: number; bytes: number }
}

/** Opens a store with one folder per run: `<dir>/<id>/`. */
export function openDetachedStore(dir: string, limits: DetachedLimits): DetachedStore {
  return new FileDetachedStore(dir, limits)
}

/** A start file, with the mark of the process that accepted the call. */
type StoredStart = DetachedStart & { owner: string }

class FileDetachedStore implements DetachedStore {
  #dir: string
  #limits: DetachedLimits
  /** Calls to `create` of this process run one after another, so that each counts the others. */
  #creating: Promise<unknown> = Promise.resolve()

  constructor(dir: string, limits: DetachedLimits) {
    this.#dir = dir
    this.#limits = limits
  }

  async create(start: DetachedStart): Promise<void> {
    const creating = this.#creating.then(async () => await this.#create(start))
    this.#creating = creating.catch(() => {})
    await creating
  }

  async begin(id: string): Promise<void> {
    await withStoreErrors(this.#dir, async () => {
      await writeDurably(this.#path(id), OWNER, JSON.stringify({ owner: createOwnName() }))
      await syncFolder(this.#dir)
    })
  }

  async end(id: string, end: DetachedEnd): Promise<void> {
    await withStoreErrors(this.#dir, async () => {
      await writeDurably(this.#path(id), END, JSON.stringify(end))
    })
  }

  async find(id: string): Promise<DetachedRun | undefined> {
    const run = isRunId(id) ? this.#read(id) : undefined
    return run?.isAcknowledged ? run : undefined
  }

  async list(isWanted: (start: DetachedStart) => boolean = () => true): Promise<DetachedRun[]> {
    return (await this.#readAll())
      .filter(({ isAcknowledged, start }) => isAcknowledged && isWanted(start))
      .sort((a, b) => compareText(sortKey(b), sortKey(a)))
  }

  async requestCancel(id: string): Promise<void> {
    await withStoreErrors(this.#dir, async () => {
      if (!this.isCancelRequested(id)) await writeDurably(this.#path(id), CANCEL, '')
    })
  }

  isCancelRequested(id: string): boolean {
    return existsSync(this.#path(id, CANCEL))
  }

  async remove(id: string): Promise<void> {
    if (!isRunId(id)) return
    await withStoreErrors(this.#dir, async () => {
      await rm(this.#path(id), { recursive: true, force: true })
    })
  }

  async #create(start: DetachedStart): Promise<void> {
    await withStoreErrors(this.#dir, async () => await this.#publish(start))
    // Counted after this run is visible: of two processes that create one each, at least one sees
    // both.
    const others = await this.#sweep(start.run_id)
    const running = others.filter(
      ({ start: { principal }, end, isLost }) =>
        principal === start.principal && end === undefined && !isLost,
    )
    if (running.length < this.#limits.perCaller) return
    await this.remove(start.run_id)
    throw tooManyDetachedError(this.#limits.perCaller)
  }

  /** Creates the folder of a run with its start; the name shows that the id is taken. */
  async #publish(start: DetachedStart): Promise<void> {
    const owner = createOwnName()
    const drafts = join(this.#dir, DRAFTS)
    const draft = join(drafts, owner)
    const stored: StoredStart = { ...start, owner }
    await sweepLeftovers(drafts)
    await mkdir(draft, { recursive: true, mode: 0o700 })
    try {
      await writeSynced(join(draft, START), JSON.stringify(stored))
      await rename(draft, this.#path(checkRunId(start.run_id)))
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      const { code } = error as NodeJS.ErrnoException
      throw code === 'ENOTEMPTY' || code === 'EEXIST' ? runIdTakenError(start.run_id) : error
    }
  }

  /**
   * Removes expired runs, those whose id was never returned, and the oldest results beyond the
   * limits. Returns the others.
   */
  async #sweep(ownId: string): Promise<DetachedRun[]> {
    const kept: DetachedRun[] = []
    for (const run of await this.#readAll()) {
      if (run.start.run_id === ownId) continue
      if (this.#isExpired(run)) await this.remove(run.start.run_id)
      else kept.push(run)
    }
    const surplus = this.#findSurplus(kept)
    for (const { start } of surplus) await this.remove(start.run_id)
    return kept.filter((run) => !surplus.has(run))
  }

  /** Finds the oldest ended runs beyond the limits of a caller and of all. */
  #findSurplus(runs: readonly DetachedRun[]): Set<DetachedRun> {
    const counts = new Map<string, number>()
    const surplus = new Set<DetachedRun>()
    let bytes = 0
    const ended = runs.filter(({ end, isLost }) => end !== undefined || isLost)
    for (const run of ended.sort((a, b) => compareText(sortKey(b), sortKey(a)))) {
      const { principal, run_id: id } = run.start
      const count = (counts.get(principal) ?? 0) + 1
      counts.set(principal, count)
      bytes += statSync(this.#path(id, END), { throwIfNoEntry: false })?.size ?? 0
      if (count > this.#limits.ended.perCaller || bytes > this.#limits.ended.bytes) surplus.add(run)
    }
    return surplus
  }

  #isExpired({ start, end, isLost, isAcknowledged }: DetachedRun): boolean {
    if (!isAcknowledged) return isLost
    const over = end?.ended_at ?? (isLost ? start.started_at : undefined)
    return over !== undefined && Date.parse(over) < Date.now() - this.#limits.ttlMs
  }

  async #readAll(): Promise<DetachedRun[]> {
    const names = await readdir(this.#dir).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    return names.filter(isRunId).flatMap((name) => this.#read(name) ?? [])
  }

  #read(id: string): DetachedRun | undefined {
    const stored = readJson(this.#path(id, START)) as StoredStart | undefined
    if (!stored) return undefined
    const { owner: acceptedBy, ...start } = stored
    const owner = (readJson(this.#path(id, OWNER)) as { owner: string } | undefined)?.owner
    const isGone = isLeftBehind(owner ?? acceptedBy, this.#readAge(id))
    // Read after the owner was checked: its last act is to write the end.
    const end = readJson(this.#path(id, END)) as DetachedEnd | undefined
    return {
      start,
      isAcknowledged: owner !== undefined,
      isLost: isGone && end === undefined,
      isCancelling: end === undefined && this.isCancelRequested(id),
      end,
    }
  }

  #readAge(id: string): number {
    try {
      return Date.now() - statSync(this.#path(id, START)).mtimeMs
    } catch {
      return 0
    }
  }

  #path(id: string, ...names: string[]): string {
    return join(this.#dir, id, ...names)
  }
}

/** Writes a file that is complete when it is visible, and on disk when this returns. */
async function writeDurably(folder: string, name: string, text: string): Promise<void> {
  const draft = join(folder, createOwnName())
  try {
    await writeSynced(draft, text)
    await rename(draft, join(folder, name))
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await syncFolder(folder)
}

/** Returns undefined for a file that is missing or not complete. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as unknown
  } catch {
    return undefined
  }
}

function sortKey({ start }: DetachedRun): string {
  return `${start.started_at} ${start.run_id}`
}

function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
