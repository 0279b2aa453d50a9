import type { PackedFile } from '../packed-file.ts'
import { findPackedPathProblem, PathSet } from '../path-problems.ts'
import { archiveTooLargeError, invalidEntryError, type ArchiveLimits } from './archive-error.ts'

/** Collects the entries of an archive, and refuses paths that are invalid or in conflict. */
export class ArchiveEntries {
  #paths = new PathSet()
  #count = 0
  #bytes = 0
  readonly files: PackedFile[] = []
  readonly limits: ArchiveLimits

  constructor(limits: ArchiveLimits) {
    this.limits = limits
  }

  /** Counts an entry of any type. */
  countEntry(): void {
    this.#count += 1
    if (this.#count > this.limits.files) throw archiveTooLargeError('files', this.limits)
  }

  addFolder(path: string): void {
    const problem = findPackedPathProblem(path) ?? this.#paths.addFolder(path)
    if (problem) throw invalidEntryError(path, problem)
  }

  addFile(file: PackedFile): void {
    const { path, bytes } = file
    const problem = findPackedPathProblem(path) ?? this.#paths.addFile(path)
    if (problem) throw invalidEntryError(path, problem)
    this.#bytes += bytes.length
    if (this.#bytes > this.limits.bytes) throw archiveTooLargeError('bytes', this.limits)
    this.files.push(file)
  }
}

/** Decodes a name strictly; undefined if it is not UTF-8. */
export function decodeName(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
