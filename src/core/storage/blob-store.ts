import type { Readable } from 'node:stream'

/** Description of a blob. */
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

/** A blob that is being written; it is visible only after commit. */
export interface BlobWriter {
  readonly id: string
  readonly written: number
  /** Resolves when more may be written. Throws `blob/too-large`, `blob/quota`, `store/full`. */
  write(chunk: Uint8Array): Promise<void>
  /** Ends writing and releases its resources. */
  seal(): Promise<void>
  /** At most `size` of the written bytes, from `offset` on. */
  read(offset: number, size: number): Promise<Uint8Array>
  /** Makes the blob durable and visible as a whole; afterwards it survives a crash. */
  commit(): Promise<BlobInfo>
  /** Removes every trace. Safe to call at any time except during commit. */
  abort(): Promise<void>
}

export interface BlobWriteOptions {
  kind: string
  /** For blobs that a run creates: the run determines their ids. */
  id?: string
}

/**
 * Blobs as files of this machine, which exist until the lease is released, even if the blobs expire
 * or are removed.
 */
export interface BlobLease {
  /**
   * In the order of the request. `localPath` is for mounting and copying, and must not be written.
   */
  readonly files: readonly { id: string; localPath: string }[]
  release(): Promise<void>
}

/** One page of blobs, newest first. */
export interface BlobPage {
  blobs: BlobInfo[]
  /** Total number of blobs. */
  total: number
}

/** Result of a collection, or of its dry run. */
export interface CollectedBlobs {
  /** Ids, oldest first. */
  expired: string[]
  /** Drafts and leases of dead processes. */
  leftovers: number
  bytesFreed: number
  /** Blobs that remain. */
  kept: { count: number; bytes: number }
}

/**
 * Large values by handle. Several processes may use one store at once. Only a lease has paths: a
 * store without local files must fetch them for it.
 */
export interface BlobStore {
  writer(options: BlobWriteOptions): Promise<BlobWriter>
  /** Throws `blob/not-found` if the blob is unknown or expired, `blob/damaged` if it was changed. */
  info(id: string): Promise<BlobInfo>
  /**
   * The content, or its bytes in [start, end), verified by the digest: the end of damaged content is
   * never returned. Reading continues to the end even if the blob is removed.
   */
  read(id: string, range?: { start?: number; end?: number }): Promise<Readable>
  list(page?: { limit?: number }): Promise<BlobPage>
  /** Ids with this prefix, with or without `blob:`; at most `limit`. */
  find(prefix: string, limit: number): Promise<string[]>
  /** Throws `blob/not-found`. Leases keep the content readable. */
  remove(id: string): Promise<void>
  /** Pins blobs for a run, which mounts them. Throws `blob/not-found`, `blob/damaged`. */
  hold(ids: readonly string[]): Promise<BlobLease>
  /** Removes expired blobs and leftovers of crashed processes. */
  collect(options?: { dryRun?: boolean }): Promise<CollectedBlobs>
}
