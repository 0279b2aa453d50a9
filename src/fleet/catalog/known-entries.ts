import type { StoredMessage } from '../engine/engine.ts'
import {
  isRemoved,
  readEntryMessage,
  type CatalogEntry,
  type StoredCatalogEntry,
} from './catalog-entry.ts'

/** Result of reading a message. */
export type Reception =
  | { state: 'new' | 'old' }
  /** The message is not a valid entry, or would change a version. */
  | { state: 'refused'; reason: string }

/** The newest entry of each version, as this node knows it. */
export class KnownEntries {
  #entries = new Map<string, StoredCatalogEntry>()

  receive(message: StoredMessage): Reception {
    const { subject, seq } = message
    const before = this.#entries.get(subject)
    if (before && before.seq >= seq) return { state: 'old' }
    const stored = readEntryMessage(message)
    if (!stored) return { state: 'refused', reason: 'Its entry in the catalog is damaged' }
    if (before && changesVersion(before, stored)) {
      this.#entries.set(subject, { ...before, seq })
      return { state: 'refused', reason: 'Its files were replaced, and a version never changes' }
    }
    this.#entries.set(subject, stored)
    return { state: 'new' }
  }

  get(subject: string): StoredCatalogEntry | undefined {
    return this.#entries.get(subject)
  }

  /** Versions that are in the catalog. */
  list(): CatalogEntry[] {
    return [...this.#entries.values()].flatMap(({ entry }) => (isRemoved(entry) ? [] : [entry]))
  }

  subjects(): string[] {
    return [...this.#entries.keys()]
  }

  /** Versions that the engine does not have, although it has everything up to this position. */
  dropMissing(subjects: ReadonlySet<string>, lastSeq: number): string[] {
    const missing = [...this.#entries].filter(
      ([subject, { seq }]) => seq <= lastSeq && !subjects.has(subject),
    )
    for (const [subject, { seq, entry }] of missing) {
      const { name, version, digest } = entry
      const removed = { name, version, digest, removedAt: Date.now(), by: '' }
      this.#entries.set(subject, { seq, entry: removed })
    }
    return missing.flatMap(([subject, { entry }]) => (isRemoved(entry) ? [] : [subject]))
  }

  clear(): void {
    this.#entries.clear()
  }
}

function changesVersion(
  { entry: before }: StoredCatalogEntry,
  { entry: after }: StoredCatalogEntry,
): boolean {
  return !isRemoved(before) && !isRemoved(after) && before.digest !== after.digest
}
