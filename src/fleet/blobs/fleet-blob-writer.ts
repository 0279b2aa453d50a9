import { hash } from 'node:crypto'
import type { BlobInfo, BlobWriter } from '../../core/storage/blob-store.ts'
import { SkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import { ENTRY_MARGIN_MS } from '../engine/assets.ts'
import type { Creation, Engine } from '../engine/engine.ts'
import type { EntryIndex } from '../objects/entry-index.ts'
import type { ObjectRef, Objects, ObjectWriter } from '../objects/objects.ts'
import { encodeBlobEntry, listBlobUploads, nameBlobEntry, type BlobEntry } from './blob-entry.ts'
import type { IndexedBlob } from './blob-index.ts'
import type { BlobQuota } from './blob-quota.ts'

/**
 * Contents up to this size are part of the entry, so that they need one write. Every node that counts
 * the blobs reads every entry once, so entries are small.
 */
const MAX_INLINE_BYTES = 16 * 1024
/** Bytes that may be written before they are counted. */
const MAX_UNCOUNTED_BYTES = 16 * 1024 ** 2

/** Parts of a store that its writers share. */
export interface BlobWriterContext {
  engine: Engine
  objects: Objects
  index: EntryIndex<IndexedBlob>
  quota: BlobQuota
  maxBytes: number
}

/** Writes chunks; an entry that is stored last makes the blob visible. */
export class FleetBlobWriter implements BlobWriter {
  readonly id: string
  #kind: string
  #context: BlobWriterContext
  #subject: string
  #startedAt = Date.now()
  /** The content while it is short enough for the entry. */
  #inline = Buffer.alloc(0)
  #object: ObjectWriter | undefined
  #written = 0
  #counted = 0
  #isSealed = false
  #entry: BlobEntry | undefined
  /** True if the entry is stored, or may be: the chunks must remain. */
  #mayBeVisible = false

  constructor({ id, kind }: { id: string; kind: string }, context: BlobWriterContext) {
    this.id = id
    this.#kind = kind
    this.#context = context
    this.#subject = nameBlobEntry(id)
  }

  get written(): number {
    return this.#written
  }

  async write(chunk: Uint8Array): Promise<void> {
    const { maxBytes, objects } = this.#context
    if (this.#written + chunk.length > maxBytes) {
      throw new SkillsError('blob/too-large', `A blob may have at most ${formatBytes(maxBytes)}`, {
        hint: 'Raise store.quota in skills.config.toml: a blob may have half of it',
      })
    }
    if (this.#isSealed) throw new Error('the blob is sealed')
    this.#written += chunk.length
    if (!this.#object && this.#written <= MAX_INLINE_BYTES) {
      this.#inline = Buffer.concat([this.#inline, chunk])
      return
    }
    if (!this.#object) {
      this.#object = objects.writer()
      await this.#object.write(this.#inline)
    }
    await this.#object.write(chunk)
    if (this.#written - this.#counted >= MAX_UNCOUNTED_BYTES) await this.#countUsage()
  }

  async seal(): Promise<void> {
    if (this.#isSealed) return
    this.#isSealed = true
    const object = await this.#object?.close()
    await this.#countUsage()
    this.#entry = this.#createEntry(object)
  }

  async read(offset: number, size: number): Promise<Uint8Array> {
    if (this.#object) return await this.#object.read(offset, size)
    return this.#inline.subarray(offset, offset + size)
  }

  async commit(): Promise<BlobInfo> {
    try {
      await this.seal()
      const entry = this.#entry
      if (!entry) throw new Error('the blob is incomplete')
      const creation = await this.#storeEntry(entry)
      if (!creation.isCreated) throw new Error(`The blob "${this.id}" exists already`)
      const { index, quota } = this.#context
      const [, name = ''] = this.#subject.split('.')
      const value = { info: entry.info, uploads: listBlobUploads(entry) }
      index.add({ name, seq: creation.seq, value })
      quota.release(this)
      return entry.info
    } catch (error) {
      await this.abort()
      throw error
    }
  }

  async abort(): Promise<void> {
    this.#isSealed = true
    this.#context.quota.release(this)
    if (!this.#mayBeVisible) await this.#object?.abort()
  }

  #createEntry(object: ObjectRef | undefined): BlobEntry {
    const digest = object?.digest ?? `sha256:${hash('sha256', this.#inline)}`
    // The first chunk of a slow writer expires by its own age: the blob must expire before it.
    const createdAt = new Date(Math.min(Date.now(), this.#startedAt + ENTRY_MARGIN_MS))
    const info: BlobInfo = {
      id: this.id,
      kind: this.#kind,
      size: this.#written,
      digest,
      createdAt: createdAt.toISOString(),
    }
    return { info, content: object ?? this.#inline }
  }

  /** The result of a write that was not answered is unknown: its chunks are left to the sweep. */
  async #storeEntry(entry: BlobEntry): Promise<Creation> {
    this.#mayBeVisible = true
    try {
      const text = encodeBlobEntry(entry)
      const creation = await this.#context.engine.create('data', this.#subject, text)
      this.#mayBeVisible = creation.isCreated
      return creation
    } catch (error) {
      if (error instanceof SkillsError && error.code === 'store/full') this.#mayBeVisible = false
      throw error
    }
  }

  /** Adds the bytes written since the last call to the quota; throws if they exceed it. */
  async #countUsage(): Promise<void> {
    const more = this.#written - this.#counted
    await this.#context.quota.reserve(this, more)
    this.#counted += more
  }
}
