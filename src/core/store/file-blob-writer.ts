import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import type { BlobInfo, BlobWriter } from './blob-store.ts'

/** A blob to be written into a folder that is not there yet. */
export interface FileBlobOptions {
  id: string
  kind: string
  target: string
  maxBytes: number
}

/** Writes into a folder of another name; one rename makes the blob visible. */
export class FileBlobWriter implements BlobWriter {
  #options: FileBlobOptions
  #draft: string
  #content: FileHandle | undefined
  #hash = createHash('sha256')
  #written = 0

  private constructor(options: FileBlobOptions, draft: string, content: FileHandle) {
    this.#options = options
    this.#draft = draft
    this.#content = content
  }

  static async start(options: FileBlobOptions): Promise<FileBlobWriter> {
    const draft = join(dirname(options.target), `.${randomBytes(16).toString('hex')}.draft`)
    await mkdir(draft, { recursive: true, mode: 0o700 })
    // A sandbox reads it as another user; the folders above keep everybody else out.
    const content = await open(join(draft, 'content'), 'wx', 0o600)
    await content.chmod(0o444)
    return new FileBlobWriter(options, draft, content)
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
      throw new SkillsError('blob/too-large', `A blob may have ${formatBytes(maxBytes)} at most`, {
        hint: 'Set store.blobs.max_blob_size in skills.config.toml to allow more',
      })
    }
    if (!this.#content) throw new Error('the blob is sealed')
    for (let done = 0; done < chunk.length;) {
      done += (await this.#content.write(chunk, done)).bytesWritten
    }
    this.#hash.update(chunk)
    this.#written += chunk.length
  }

  async seal(): Promise<void> {
    const content = this.#content
    this.#content = undefined
    try {
      await content?.sync()
    } finally {
      await content?.close()
    }
  }

  async read(offset: number, size: number): Promise<Uint8Array> {
    const file = await open(join(this.#draft, 'content'), 'r')
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, offset)
      return buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  }

  async commit(): Promise<BlobInfo> {
    const { id, kind, target } = this.#options
    try {
      await this.seal()
      const info: BlobInfo = {
        id,
        kind,
        size: this.#written,
        digest: `sha256:${this.#hash.digest('hex')}`,
        createdAt: new Date().toISOString(),
      }
      await writeSynced(join(this.#draft, 'info.json'), `${JSON.stringify(info)}\n`)
      await syncFolder(this.#draft)
      // Fails where the id exists: a folder with something in it is never replaced.
      await rename(this.#draft, target)
      await syncFolder(dirname(target))
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
    await rm(this.#draft, { recursive: true, force: true })
  }
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
