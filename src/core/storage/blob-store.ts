import type { Readable } from 'node:stream'

/** What is known of a blob without reading it. */
export interface BlobInfo {
  /** `blob:` and 128 random bits. */
  id: string
  /** MIME type. */
  kind: string
  size: number
  /** `sha256:<hex>` of the content. */
  digest: string
  createdAt: string
}

/** A blob that is being written; nobody sees it before commit. */
export interface BlobWriter {
  readonly id: string
  readonly written: number
  /** Resolves when more may be written. Throws `blob/too-large`, `blob/quota`, `store/full`. */
  write(chunk: Uint8Array): Promise<void>
  /** Nothing more will be written: frees what writing needs. */
  seal(): Promise<void>
  /** At most `size` bytes from `offset` of what was written. */
  read(offset: number, size: number): Promise<Uint8Array>
  /** Makes it durable and visible, whole; afterwards it survives a crash. */
  commit(): Promise<BlobInfo>
  /** Removes every trace. Safe to call at any time, commit excepted. */
  abort(): Promise<void>
}

export interface BlobWriteOptions {
  kind: string
  /** For blobs made by a run, whose ids are fixed by the run. */
  id?: string
}

/** Blobs as files of this machine, which stay until the lease is released, whatever expires or is removed. */
export interface BlobLease {
  /** In the order of the request. `localPath` is for mounting and copying, and is never written. */
  readonly files: readonly { id: string; localPath: string }[]
  release(): Promise<void>
}

/** One page of blobs, the newest first. */
export interface BlobPage {
  blobs: BlobInfo[]
  /** How many there are in all. */
  total: number
}

/** What collecting removed, or would remove. */
export interface CollectedBlobs {
  /** Ids, the oldest first. */
  expired: string[]
  /** Drafts and holds of processes that are gone. */
  leftovers: number
  bytesFreed: number
  /** What is left. */
  kept: { count: number; bytes: number }
}

/**
 * Large values by handle. Several processes may use one store at once. Only a lease has paths: a store
 * that keeps no files on this machine fetches them for it.
 */
export interface BlobStore {
  writer(options: BlobWriteOptions): Promise<BlobWriter>
  /** Throws `blob/not-found` for what is unknown, malformed or expired. */
  info(id: string): Promise<BlobInfo>
  /** The content, or its bytes from `start` to before `end`; it is read whole once it began. */
  read(id: string, range?: { start?: number; end?: number }): Promise<Readable>
  list(page?: { limit?: number }): Promise<BlobPage>
  /** Ids that begin like this, with or without `blob:`; at most `limit`. */
  find(prefix: string, limit: number): Promise<string[]>
  /** Throws `blob/not-found`. Runs that hold it keep it. */
  remove(id: string): Promise<void>
  /** Pins blobs for a run, which mounts them. Throws `blob/not-found`. */
  hold(ids: readonly string[]): Promise<BlobLease>
  /** Removes what has expired and what crashed processes left. */
  collect(options?: { dryRun?: boolean }): Promise<CollectedBlobs>
}
