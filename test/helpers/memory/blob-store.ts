import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  blobNotFoundError,
  parseBlobFolder,
  createBlobId,
} from '../../../src/core/storage/blob-id.ts'
import type { BlobInfo, BlobStore, BlobWriter } from '../../../src/core/storage/blob-store.ts'
import type { BlobLimits } from '../../../src/core/storage/file-blob-store.ts'
import { SkillsError } from '../../../src/errors.ts'

interface Stored {
  info: BlobInfo
  content: Buffer
}

/** In-memory blobs: only a lease writes files, while it lasts. */
export function createMemoryBlobStore(limits: BlobLimits): BlobStore {
  const blobs = new Map<string, Stored>()
  const leases = new Map<object, readonly string[]>()
  const isExpired = ({ info }: Stored) => Date.parse(info.createdAt) + limits.ttlMs < Date.now()
  const find = (id: string): Stored => {
    const stored = blobs.get(parseBlobFolder(id))
    if (!stored || isExpired(stored)) throw blobNotFoundError(id)
    return stored
  }
  const living = () => [...blobs.values()].filter((each) => !isExpired(each))
  const size = () => [...blobs.values()].reduce((sum, { content }) => sum + content.length, 0)
  const collect = (dryRun: boolean) => {
    const leased = new Set([...leases.values()].flat())
    const expired = [...blobs.values()].filter(
      (each) => isExpired(each) && !leased.has(each.info.id),
    )
    const bytesFreed = expired.reduce((sum, { content }) => sum + content.length, 0)
    const kept = { count: blobs.size - expired.length, bytes: size() - bytesFreed }
    if (!dryRun) for (const { info } of expired) blobs.delete(parseBlobFolder(info.id))
    return { expired: expired.map(({ info }) => info.id), leftovers: 0, bytesFreed, kept }
  }
  const publish = (info: BlobInfo, content: Buffer): BlobInfo => {
    collect(false)
    if (size() + content.length > limits.quotaBytes) throw new SkillsError('blob/quota', 'full')
    if (blobs.has(parseBlobFolder(info.id))) throw new Error('the id is taken')
    blobs.set(parseBlobFolder(info.id), { info, content })
    return info
  }
  return {
    writer: async ({ kind, id = createBlobId() }) => memoryWriter({ id, kind, limits, publish }),
    info: async (id) => find(id).info,
    read: async (id, { start, end } = {}) => Readable.from([find(id).content.subarray(start, end)]),
    async list({ limit = Infinity } = {}) {
      const all = living().map(({ info }) => info)
      return { blobs: all.toReversed().slice(0, limit), total: all.length }
    },
    async find(prefix, limit) {
      const start = prefix.replace(/^blob:/, '')
      const ids = living().map(({ info }) => info.id)
      return ids.filter((id) => id.startsWith(`blob:${start}`)).slice(0, limit)
    },
    async remove(id) {
      if (!blobs.delete(parseBlobFolder(id))) throw blobNotFoundError(id)
    },
    async hold(ids) {
      const contents = ids.map((id) => ({ id, content: find(id).content }))
      const dir = mkdtempSync(join(tmpdir(), 'skills-lease-'))
      const files = contents.map(({ id, content }) => {
        const localPath = join(dir, parseBlobFolder(id))
        writeFileSync(localPath, content, { mode: 0o444 })
        return { id, localPath }
      })
      leases.set(files, ids)
      const release = async () => {
        leases.delete(files)
        rmSync(dir, { recursive: true, force: true })
      }
      return { files, release }
    },
    collect: async ({ dryRun = false } = {}) => collect(dryRun),
  }
}

function memoryWriter(blob: {
  id: string
  kind: string
  limits: BlobLimits
  publish(info: BlobInfo, content: Buffer): BlobInfo
}): BlobWriter {
  const { id, kind, limits, publish } = blob
  let content = Buffer.alloc(0)
  let isSealed = false
  return {
    id,
    get written() {
      return content.length
    },
    async write(chunk) {
      if (isSealed) throw new Error('the blob is sealed')
      if (content.length + chunk.length > limits.maxBlobBytes) {
        throw new SkillsError('blob/too-large', 'A blob may not have so much')
      }
      content = Buffer.concat([content, chunk])
    },
    async seal() {
      isSealed = true
    },
    read: async (offset, size) => content.subarray(offset, offset + size),
    async commit() {
      isSealed = true
      const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
      const createdAt = new Date().toISOString()
      return publish({ id, kind, size: content.length, digest, createdAt }, content)
    },
    async abort() {
      content = Buffer.alloc(0)
    },
  }
}
