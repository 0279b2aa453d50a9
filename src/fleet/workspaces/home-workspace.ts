import type { Workspaces } from '../../core/workspaces/workspaces.ts'
import { SkillsError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import { readHome, replaceHome, type Home, type SnapshotRef } from './home-record.ts'
import { describeLeftOut } from './left-out-entries.ts'
import { ManifestError } from './manifest.ts'
import {
  describeRestored,
  describeUnstored,
  PENDING_NOTICE,
  sessionMovedError,
  snapshotDamagedError,
} from './notices.ts'
import { PackDamagedError } from './pack-reader.ts'
import { UNNAMED_PACK_MS } from './pack-writer.ts'
import { restoreSnapshot } from './restore-snapshot.ts'
import type { SnapshotLimits } from './scan-folder.ts'
import { readManifest } from './stored-manifest.ts'
import { computeFingerprint, takeSnapshot, type SnapshotBase } from './take-snapshot.ts'

export interface HomeWorkspaceOptions {
  engine: Engine
  workspaces: Workspaces
  limits: SnapshotLimits
  /** Age at which the record of a home is written again, so that no sweep takes it for abandoned. */
  renewMs: number
  /** Key of the home, and that of its workspace. */
  key: string
  workspace: string
}

/** A save that is waiting or under way. */
interface Save {
  done: Promise<void>
  /** Resolves if the snapshot is so large that no caller should wait for it. */
  large: Promise<void>
}

/** Age of a snapshot at which its packs may be removed before a record names them. */
const MAX_SNAPSHOT_MS = UNNAMED_PACK_MS / 4

/** The workspace of a session whose home this worker is, and its snapshots. */
export class HomeWorkspace {
  #options: HomeWorkspaceOptions
  #record: Home
  #seq: number
  #publishedAt: number
  #base: SnapshotBase | undefined
  #isPrepared = false
  #preparing: Promise<void> | undefined
  #running: Save | undefined
  #queued: Save | undefined
  /** Sentences for the next answer. */
  #notices: string[] = []
  #leftOut: string | undefined
  #isLost = false

  constructor(
    options: HomeWorkspaceOptions,
    { record, seq, storedAt }: { record: Home; seq: number; storedAt: number },
  ) {
    this.#options = options
    this.#record = record
    this.#seq = seq
    this.#publishedAt = storedAt
  }

  /** True if another worker has the session. */
  get isLost(): boolean {
    return this.#isLost
  }

  get record(): Home {
    return this.#record
  }

  get seq(): number {
    return this.#seq
  }

  /**
   * Performs a call in the workspace, which is restored before the first one. Its changes are stored
   * before it returns, unless that takes long.
   */
  async perform(work: () => Promise<unknown>, changesFiles: boolean): Promise<unknown> {
    const release = this.#options.workspaces.acquire(this.#options.workspace)
    try {
      await this.#prepare()
      try {
        return await work()
      } finally {
        if (changesFiles) await this.save()
      }
    } finally {
      release()
    }
  }

  /** Stores what changed. Throws only if another worker has the session. */
  async save({ isPatient = false }: { isPatient?: boolean } = {}): Promise<void> {
    if (!this.#isPrepared) return
    if (this.#isLost) throw sessionMovedError()
    const save = (this.#queued ??= this.#queueSave())
    const stored = save.done.then(() => 'stored' as const)
    const outcome = isPatient
      ? await stored
      : await Promise.race([stored, save.large.then(() => 'pending' as const)])
    // Failures in the background wait for the next call.
    if (outcome === 'pending') {
      stored.catch(() => {})
      this.#notice(PENDING_NOTICE)
    }
  }

  /** Returns the sentences for an answer once. */
  takeNotices(): string[] {
    return this.#notices.splice(0)
  }

  /** Throws if another worker has the session. */
  async checkRecord(): Promise<void> {
    const { engine, key } = this.#options
    const stored = await readHome(engine, key)
    if (stored?.record && isSameHome(stored.record, this.#record)) {
      this.#seq = stored.seq
      return
    }
    this.#isLost = true
    throw sessionMovedError()
  }

  #notice(text: string): void {
    if (!this.#notices.includes(text)) this.#notices.push(text)
  }

  async #prepare(): Promise<void> {
    const { workspaces, workspace } = this.#options
    // The store of this machine may have removed a workspace that was not used for long.
    const isThere = workspaces.find(workspace) !== undefined
    if (this.#isPrepared && (isThere || !this.#record.snapshot)) return
    this.#preparing ??= this.#restore().finally(() => (this.#preparing = undefined))
    await this.#preparing
  }

  async #restore(): Promise<void> {
    const { engine, workspaces, workspace, limits } = this.#options
    const { snapshot, from } = this.#record
    // Files of an earlier home of this session on this machine are outdated.
    if (!snapshot) await workspaces.remove(workspace)
    else {
      try {
        const manifest = await readManifest(engine, workspace, snapshot)
        await workspaces.restore(workspace, async (dir) => {
          const maxBytes = limits.bytes
          return await restoreSnapshot({ engine, workspace, manifest, dir, maxBytes })
        })
        const fingerprint = computeFingerprint(manifest)
        this.#base = { manifest, fingerprint, stamps: new Map() }
        if (from && !this.#isPrepared) this.#notice(describeRestored(from, snapshot))
        this.#noticeLeftOut(describeLeftOut(manifest.leftOut))
      } catch (error) {
        throw await this.#giveUpSnapshot(error)
      }
    }
    this.#isPrepared = true
  }

  /** A damaged snapshot must not stop the session for ever. Returns the error for the caller. */
  async #giveUpSnapshot(error: unknown): Promise<unknown> {
    if (!(error instanceof PackDamagedError) && !(error instanceof ManifestError)) return error
    const { engine, key } = this.#options
    const record = { node: null, generation: this.#record.generation } as const
    await replaceHome(engine, key, { record, seq: this.#seq })
    this.#isLost = true
    return snapshotDamagedError(error.message)
  }

  #queueSave(): Save {
    const before = this.#running
    let setLarge = () => {}
    const large = new Promise<void>((resolve) => (setLarge = resolve))
    void before?.large.then(setLarge)
    const run = async () => {
      await before?.done.catch(() => {})
      this.#queued = undefined
      this.#running = save
      try {
        await this.#takeAndPublish(setLarge)
      } catch (error) {
        if (this.#isLost || !(error instanceof Error)) throw error
        this.#notice(describeUnstored(error))
      } finally {
        if (this.#running === save) this.#running = undefined
      }
    }
    const save: Save = { done: Promise.resolve().then(run), large }
    return save
  }

  async #takeAndPublish(onLarge: () => void): Promise<void> {
    const { engine, workspaces, workspace, limits, renewMs } = this.#options
    const dir = workspaces.find(workspace)
    // A call that failed may have made no workspace.
    if (dir === undefined) return
    const base = this.#base
    const taken = await takeSnapshot({ engine, workspace, dir, limits, base, onLarge })
    if (!taken) {
      const { snapshot } = this.#record
      if (snapshot && Date.now() - this.#publishedAt > renewMs) await this.#publish(snapshot)
      return
    }
    if (Date.now() - Date.parse(taken.ref.at) > MAX_SNAPSHOT_MS) {
      throw new SkillsError('store/unavailable', 'The snapshot took too long')
    }
    await this.#publish(taken.ref)
    const { manifest, fingerprint, stamps } = taken
    this.#base = { manifest, fingerprint, stamps }
    this.#noticeLeftOut(describeLeftOut(manifest.leftOut))
  }

  /** A sentence about entries that are left out is given when it changes. */
  #noticeLeftOut(text: string | undefined): void {
    if (text !== undefined && text !== this.#leftOut) this.#notice(text)
    this.#leftOut = text
  }

  async #publish(snapshot: SnapshotRef): Promise<void> {
    const { engine, key } = this.#options
    const { node, start, generation } = this.#record
    const record: Home = { node, start, generation, snapshot }
    for (;;) {
      const seq = await replaceHome(engine, key, { record, seq: this.#seq })
      if (seq !== undefined) {
        this.#seq = seq
        this.#record = record
        this.#publishedAt = Date.now()
        return
      }
      await this.checkRecord()
    }
  }
}

function isSameHome(record: { node: string | null; generation: number }, home: Home): boolean {
  return (
    record.node === home.node &&
    record.generation === home.generation &&
    (record as Home).start === home.start
  )
}
