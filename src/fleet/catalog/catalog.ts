import type { CatalogEntry, SkillVersion } from './catalog-entry.ts'

/** A version that this node does not have as the catalog names it. */
export interface CatalogProblem extends SkillVersion {
  /**
   * `refused`: its archive is not valid. `failed`: it could not be fetched or written, and is tried
   * again. `set-aside`: the folder had other files before, which were moved.
   */
  kind: 'refused' | 'failed' | 'set-aside'
  /** A sentence. */
  reason: string
}

/** The skills that all nodes share, in a folder of this node that a repository lists. */
export interface Catalog {
  /** Folder of the skills, in the layout of uploaded skills. */
  readonly root: string
  /** Position in the stream `state` up to which all entries are in the folder, removed or refused. */
  readonly revision: number
  /** Resolves when the folder has all entries up to a position. */
  waitFor(revision: number, signal?: AbortSignal): Promise<void>
  /** Entries that the engine has, also those that are refused here. */
  list(): readonly CatalogEntry[]
  find(skill: SkillVersion): CatalogEntry | undefined
  problems(): readonly CatalogProblem[]
  /** Calls the handler with each folder that was added, repaired or removed. */
  onChange(handle: (folder: string) => void): () => void
  /** Compares every folder with the entries of the engine again, and repairs those that differ. */
  repair(): Promise<void>
  /** Ends the work of this node. The folder stays. */
  close(): Promise<void>
}
