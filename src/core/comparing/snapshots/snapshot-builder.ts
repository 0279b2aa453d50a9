import { createHash } from 'node:crypto'
import {
  MAX_KEPT_FILE,
  MAX_KEPT_TOTAL,
  MAX_READ_TOTAL,
  MAX_SNAPSHOT_FILES,
  type ContentSnapshot,
  type SnapshotFile,
} from './snapshot.ts'

/** Collects the files of a snapshot within its limits. */
export class SnapshotBuilder {
  readonly #label: string
  readonly #folder: string
  readonly #files = new Map<string, SnapshotFile>()
  readonly #omissions = new Set<string>()
  #kept = 0
  #read = 0

  constructor(label: string, folder: string) {
    this.#label = label
    this.#folder = folder
  }

  /** True if no further file is read. */
  isFull(): boolean {
    if (this.#files.size >= MAX_SNAPSHOT_FILES) this.noteTooMany()
    if (this.#read > MAX_READ_TOTAL) {
      this.#omissions.add(
        `${this.#label} has more than ${MAX_READ_TOTAL} bytes; further files were not compared`,
      )
    }
    return this.#files.size >= MAX_SNAPSHOT_FILES || this.#read > MAX_READ_TOTAL
  }

  noteTooMany(): void {
    this.#omissions.add(
      `${this.#label} has more than ${MAX_SNAPSHOT_FILES} entries; further ones were not compared`,
    )
  }

  /** True if a file of this size is kept, and not only its digest. */
  keepsSize(size: number): boolean {
    return size <= MAX_KEPT_FILE && this.#kept + size <= MAX_KEPT_TOTAL
  }

  addFile(
    path: string,
    file: Omit<SnapshotFile, 'type' | 'bytes'> & { bytes?: Uint8Array | undefined },
  ): void {
    const { bytes, ...rest } = file
    this.#read += file.size
    this.#kept += bytes?.length ?? 0
    this.#files.set(path, { type: 'file', ...rest, ...(bytes && { bytes }) })
  }

  addLink(path: string, target: string): void {
    const digest = createHash('sha256').update(target).digest('hex')
    this.#files.set(path, { type: 'link', mode: 0o777, size: target.length, digest, target })
  }

  addSpecial(path: string, mode: number): void {
    this.#files.set(path, { type: 'special', mode: mode & 0o7777, size: 0, digest: '' })
  }

  build(): ContentSnapshot {
    return {
      label: this.#label,
      folder: this.#folder,
      files: this.#files,
      omissions: [...this.#omissions],
    }
  }
}
