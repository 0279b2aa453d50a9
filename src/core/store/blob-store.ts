/** What is known of a blob without reading it. */
export interface BlobInfo {
  /** `blob:` and at least 128 random bits. */
  id: string
  /** MIME type. */
  kind: string
  size: number
  /** `sha256:<hex>` of the content. */
  digest: string
  createdAt: string
  /** The run that made it, if one did. */
  runId: string | undefined
}

/** A blob that is being written; nobody sees it before commit. */
export interface BlobWriter {
  readonly id: string
  readonly written: number
  /** Resolves when more may be written. Throws `blob/too-large`, `blob/quota` or `store/full`. */
  write(chunk: Uint8Array): Promise<void>
  /** Makes it durable and visible, whole; afterwards it survives a crash. */
  commit(): Promise<BlobInfo>
  /** Removes every trace. Safe to call at any time, commit excepted. */
  abort(): Promise<void>
}

export interface BlobWriteOptions {
  kind: string
  /** For blobs made by a run, whose ids are fixed by the run. */
  id?: string
  runId?: string
}

/** A granted blob as a file that a sandbox can mount. */
export interface BlobFile {
  info: BlobInfo
  path: string
}

/** Large values by handle. Several processes may use one store at once. */
export interface BlobStore {
  writer(options: BlobWriteOptions): Promise<BlobWriter>
  /** Throws `blob/not-found` for what is unknown, malformed or expired. */
  info(id: string): Promise<BlobInfo>
  /** Streams bytes of the half-open range. */
  read(id: string, range?: { start?: number; end?: number }): AsyncIterable<Uint8Array>
  list(): AsyncIterable<BlobInfo>
  remove(id: string): Promise<boolean>
  /** Keeps blobs for a run: neither expiry nor gc takes them until released. */
  hold(
    ids: readonly string[],
    runId: string,
  ): Promise<{ files: readonly BlobFile[]; release(): Promise<void> }>
  /** Removes what expired or is over quota, and leftovers of dead writers. */
  collect(): Promise<{ removed: number; bytes: number; leftovers: number }>
}
