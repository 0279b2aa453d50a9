import { createHash } from 'node:crypto'
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { syncFolder, writeSynced } from '../../util/durable-file.ts'
import { sealJson } from '../../util/sealed-json.ts'
import { formatBytes } from '../../util/quantity.ts'
import type { BlobInfo, BlobWriter } from './blob-store.ts'
import { MAX_UNCOUNTED_BYTES, type Quota } from './quota.ts'
import { withStoreErrors } from './store-error.ts'

/** A blob to write into a draft folder. */
interface FileBlobOptions {
  id: string
  kind: string
  /** Must not exist, and must be on the target's file system. */
  draft: string
  target: string
  maxBytes: number
  quota: Quota
}

/** Writes into a draft folder; one rename makes the blob visible. */
export class FileBlobWriter implements BlobWriter {
  #options: FileBlobOptions
  #content: FileHandle | undefined
  #hash = createHash('sha256')
  #written = 0
  #info: BlobInfo | undefined
  #counted = 0

  private constructor(options: FileBlobOptions, content: FileHandle) {
    this.#options = options
    this.#content = content
  }

  static async start(options: FileBlobOptions): Promise<FileBlobWriter> {
    const { draft } = options
    return await withStoreErrors(dirname(options.target), async () => {
      await mkdir(draft, { recursive: true, mode: 0o700 })
      try {
        // A sandbox reads the file as another user; the parent folders exclude all other users.
        const content = await open(join(draft, 'content'), 'wx', 0o600)
        await content.chmod(0o444)
        return new FileBlobWriter(options, content)
      } catch (error) {
        await rm(draft, { recursive: true, force: true })
        throw error
      }
    })
  }

  get id(): string {
    return this.#options.id
  }

  get written(): number {
    return this.#written
  }

  async write(chunk: Uint8Array): Promise<void> {
    const { maxBytes } = this.#options
    if (this.#written + chunk.length > maxBytes) {
      throw new SkillsError('blob/too-large', `A blob may have at most ${formatBytes(maxBytes)}`, {
        hint: 'Raise store.quota in skills.config.toml: a blob may have half of it',
      })
    }
    const content = this.#content
    if (!content) throw new Error('the blob is sealed')
    await this.#inStore(async () => {
      for (let count = 0; count < chunk.length;) {
        count += (await content.write(chunk, count)).bytesWritten
      }
    })
    this.#hash.update(chunk)
    this.#written += chunk.length
    if (this.#written - this.#counted >= MAX_UNCOUNTED_BYTES) await this.#countUsage()
  }

  async seal(): Promise<void> {
    const content = this.#content
    if (!content) return
    this.#content = undefined
    try {
      await this.#inStore(async () => await content.sync())
    } finally {
      await content.close()
    }
    await this.#countUsage()
    await this.#writeInfo()
  }

  async read(offset: number, size: number): Promise<Uint8Array> {
    const file = await open(join(this.#options.draft, 'content'), 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, offset)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  }

  async commit(): Promise<BlobInfo> {
    const { draft, target } = this.#options
    try {
      await this.seal()
      const info = this.#info
      if (!info) throw new Error('the blob is incomplete')
      await this.#inStore(async () => {
        // Fails if the id exists: rename does not replace a folder that is not empty.
        await rename(draft, target)
        this.#options.quota.commit(draft)
        await syncFolder(dirname(target))
      })
      return info
    } catch (error) {
      await this.abort()
      throw error
    }
  }

  async abort(): Promise<void> {
    const content = this.#content
    this.#content = undefined
    await content?.close().catch(() => {})
    await rm(this.#options.draft, { recursive: true, force: true })
    this.#counted = 0
    this.#options.quota.release(this.#options.draft)
  }

  /** Writes everything that must be durable before the blob is visible, so that commit is quick. */
  async #writeInfo(): Promise<void> {
    const { id, kind, draft } = this.#options
    const info: BlobInfo = {
      id,
      kind,
      size: this.#written,
      digest: `sha256:${this.#hash.digest('hex')}`,
      createdAt: new Date().toISOString(),
    }
    await this.#inStore(async () => {
      await writeSynced(join(draft, 'info.json'), `${sealJson(info)}\n`)
      await syncFolder(draft)
    })
    this.#info = info
  }

  /** Adds the bytes written since the last call to the quota; throws if they exceed it. */
  async #countUsage(): Promise<void> {
    const more = this.#written - this.#counted
    await this.#options.quota.reserve(this.#options.draft, more)
    this.#counted += more
  }

  async #inStore<T>(work: () => Promise<T>): Promise<T> {
    return await withStoreErrors(dirname(this.#options.target), work)
  }
}
