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
  /** Resolves when more may be written. Throws `blob/too-large`. */
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

/** Large values by handle. Several processes may use one store at once. */
export interface BlobStore {
  writer(options: BlobWriteOptions): Promise<BlobWriter>
  /** Throws `blob/not-found` for what is unknown or malformed. */
  info(id: string): Promise<BlobInfo>
  /** A file that holds the content, for mounting and copying; never to be written. */
  file(id: string): Promise<string>
}
