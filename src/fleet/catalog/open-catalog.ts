import { setTimeout as sleep } from 'node:timers/promises'
import { SkillsError } from '../../errors.ts'
import type { Engine, StoredMessage } from '../engine/engine.ts'
import type { Objects } from '../objects/objects.ts'
import { checkFolder, describeFailure, fetchEntry } from './apply-entry.ts'
import {
  CATALOG_PATTERN,
  getCatalogSubject,
  isRemoved,
  type CatalogEntry,
  type SkillVersion,
} from './catalog-entry.ts'
import type { Catalog, CatalogProblem } from './catalog.ts'
import { KnownEntries } from './known-entries.ts'
import { LocalSkills } from './local-skills.ts'
import { PendingEntries } from './pending-entries.ts'

/** Versions that are fetched at once. */
const PARALLEL = 4
/** Pause before a version is fetched again while the engine is away. */
const AWAY_PAUSE_MS = 200
/** Pause before versions that failed are tried again. */
const RETRY_MS = 30_000
/** Time after which a caller that waits reads the entries itself. */
const CATCH_UP_MS = 2000

export interface CatalogOptions {
  /** Folder of uploaded skills of a data directory, from `getUploadsRoot`. */
  root: string
  /** Called with each problem when it is found. */
  onProblem?: (problem: CatalogProblem) => void
}

/** Makes the folder equal to the catalog, and follows its changes until `close`. */
export async function openCatalog(
  engine: Engine,
  objects: Objects,
  options: CatalogOptions,
): Promise<Catalog> {
  const catalog = new FleetCatalog(engine, objects, options)
  await catalog.start()
  return catalog
}

class FleetCatalog implements Catalog {
  #engine: Engine
  #objects: Objects
  #onProblem: (problem: CatalogProblem) => void
  #local: LocalSkills
  #known = new KnownEntries()
  #pending = new PendingEntries()
  #problems = new Map<string, CatalogProblem>()
  #changeHandlers = new Set<(folder: string) => void>()
  /** Called after each entry. */
  #progressHandlers = new Set<() => void>()
  #stops: (() => void)[] = []
  #catchingUp: Promise<void> | undefined
  /** Entries are collected only, until the folder is prepared. */
  #isStarted = false
  #isClosed = false

  constructor(engine: Engine, objects: Objects, { root, onProblem = () => {} }: CatalogOptions) {
    this.#engine = engine
    this.#objects = objects
    this.#local = new LocalSkills(root)
    this.#onProblem = onProblem
  }

  get root(): string {
    return this.#local.root
  }

  get revision(): number {
    return this.#pending.revision
  }

  async start(): Promise<void> {
    await this.#local.prepare()
    this.#stops.push(
      await this.#engine.watch('state', CATALOG_PATTERN, (message) => this.#receive(message)),
      this.#engine.onReturn(() => void this.#catchUp().catch(() => {})),
    )
    const timer = setInterval(() => this.#repeatFailed(), RETRY_MS).unref()
    this.#stops.push(() => clearInterval(timer))
    await this.#clearOthers()
    this.#isStarted = true
    this.#applyNext()
    await this.#waitUntilIdle()
  }

  async waitFor(revision: number, signal?: AbortSignal): Promise<void> {
    while (this.revision < revision) {
      signal?.throwIfAborted()
      if (this.#isClosed) throw closedError()
      const hasProgressed = await this.#waitForProgress(signal)
      // A message of the watch may be late, or its position was replaced by a later one.
      if (!hasProgressed && this.#pending.isIdle) await this.#catchUp().catch(() => {})
    }
  }

  list(): readonly CatalogEntry[] {
    return this.#known.list()
  }

  find(skill: SkillVersion): CatalogEntry | undefined {
    const entry = this.#known.get(getCatalogSubject(skill))?.entry
    return entry && !isRemoved(entry) ? entry : undefined
  }

  problems(): readonly CatalogProblem[] {
    return [...this.#problems.values()]
  }

  onChange(handle: (folder: string) => void): () => void {
    this.#changeHandlers.add(handle)
    return () => void this.#changeHandlers.delete(handle)
  }

  async repair(): Promise<void> {
    await this.#catchUp()
    await this.#clearOthers()
    for (const subject of this.#known.subjects()) this.#pending.repeat(subject)
    this.#applyNext()
    await this.#waitUntilIdle()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const stop of this.#stops) stop()
    for (const handle of this.#progressHandlers) handle()
    while (this.#pending.running > 0) await this.#waitForProgress()
  }

  #receive(message: StoredMessage): void {
    if (this.#isClosed) return
    const { subject, seq } = message
    const reception = this.#known.receive(message)
    if (reception.state === 'new') this.#pending.add(subject, seq)
    else this.#pending.skip(seq)
    if (reception.state === 'refused') {
      const { name, version } = this.#known.get(subject)?.entry ?? { name: subject, version: '' }
      this.#addProblem(subject, { name, version, kind: 'refused', reason: reception.reason })
    }
    this.#applyNext()
  }

  #applyNext(): void {
    while (this.#isStarted && !this.#isClosed && this.#pending.running < PARALLEL) {
      const subject = this.#pending.take()
      if (subject === undefined) break
      void this.#apply(subject)
    }
    // A message without work is progress, too.
    for (const handle of this.#progressHandlers) handle()
  }

  async #apply(subject: string): Promise<void> {
    const { entry, seq } = this.#known.get(subject) ?? {}
    try {
      if (entry && isRemoved(entry)) {
        this.#reportAside(entry, await this.#local.clear(entry))
        this.#problems.delete(subject)
        this.#reportChange(entry)
      } else if (entry && seq !== undefined) await this.#place(subject, entry, seq)
    } catch (error) {
      // A newer entry of the version is applied next.
      const isCurrent = !this.#isClosed && this.#known.get(subject)?.seq === seq
      if (entry && isCurrent) this.#addProblem(subject, describeFailure(entry, error))
    } finally {
      this.#pending.finish(subject, seq ?? 0)
      this.#applyNext()
    }
  }

  /** Waits for an engine that is away, unless a newer entry of the version arrives. */
  async #place(subject: string, entry: CatalogEntry, seq: number): Promise<void> {
    for (;;) {
      try {
        const { isSame, aside } = await checkFolder(this.#local, entry)
        this.#reportAside(entry, aside)
        if (!isSame) await fetchEntry(this.#local, this.#objects, entry)
        this.#problems.delete(subject)
        if (!isSame) this.#reportChange(entry)
        return
      } catch (error) {
        const isSuperseded = this.#isClosed || this.#known.get(subject)?.seq !== seq
        if (isSuperseded || !this.#isAway(error)) throw error
        await sleep(AWAY_PAUSE_MS)
      }
    }
  }

  #isAway(error: unknown): boolean {
    if (error instanceof SkillsError) return error.code === 'fleet/unavailable'
    return !this.#engine.health.isSteady
  }

  #reportChange(skill: SkillVersion): void {
    for (const handle of this.#changeHandlers) handle(this.#local.getFolder(skill))
  }

  /** Reports where other files of a folder are now; undefined if there were none. */
  #reportAside({ name, version }: SkillVersion, aside: string | undefined): void {
    if (aside === undefined) return
    const reason = `Its folder had files that are not in the catalog; they are in "${aside}"`
    this.#addProblem(`aside ${name}/${version}`, { name, version, kind: 'set-aside', reason })
  }

  #addProblem(key: string, problem: CatalogProblem): void {
    const isKnown = this.#problems.get(key)?.reason === problem.reason
    this.#problems.set(key, problem)
    if (!isKnown) this.#onProblem(problem)
  }

  #repeatFailed(): void {
    for (const [subject, { kind }] of this.#problems) {
      if (kind === 'failed') this.#pending.repeat(subject)
    }
    this.#applyNext()
  }

  async #catchUp(): Promise<void> {
    this.#catchingUp ??= this.#readAll().finally(() => (this.#catchingUp = undefined))
    await this.#catchingUp
  }

  /** Reads all entries again: the watch does not report those that were purged. */
  async #readAll(): Promise<void> {
    const { lastSeq } = await this.#engine.measure('state')
    // The engine has lost messages that it had acknowledged, and counts their positions again.
    const isReset = lastSeq < this.revision
    if (isReset) {
      this.#known.clear()
      this.#pending.reset()
    }
    const listed = new Set<string>()
    for await (const message of this.#engine.list('state', CATALOG_PATTERN)) {
      listed.add(message.subject)
      this.#receive(message)
    }
    for (const subject of this.#known.dropMissing(listed, lastSeq)) this.#pending.repeat(subject)
    this.#pending.skip(lastSeq)
    if (isReset) await this.#clearOthers()
    this.#repeatFailed()
  }

  /** Removes what is in the folder and not in the catalog. */
  async #clearOthers(): Promise<void> {
    const listed = new Set(this.list().map(({ name, version }) => `${name}/${version}`))
    for (const item of await this.#local.listOthers((path) => listed.has(path))) {
      const [name = '', version = ''] = item.path.split('/')
      this.#reportAside({ name, version }, await this.#local.clearItem(item))
      this.#reportChange({ name, version })
    }
  }

  async #waitUntilIdle(): Promise<void> {
    while (!this.#pending.isIdle && !this.#isClosed) await this.#waitForProgress()
  }

  /** False if nothing happened for a while. */
  async #waitForProgress(signal?: AbortSignal): Promise<boolean> {
    return await new Promise<boolean>((resolve) => {
      const finish = (hasProgressed: boolean) => {
        clearTimeout(timer)
        this.#progressHandlers.delete(onProgress)
        signal?.removeEventListener('abort', onProgress)
        resolve(hasProgressed)
      }
      const onProgress = () => finish(true)
      const timer = setTimeout(() => finish(false), CATCH_UP_MS)
      this.#progressHandlers.add(onProgress)
      signal?.addEventListener('abort', onProgress)
    })
  }
}

function closedError(): SkillsError {
  return new SkillsError('fleet/unavailable', 'The catalog of this node is closed')
}
