import type { NameOwners } from './name-owners.ts'

/** A skill to store. */
export interface NewSkill {
  name: string
  version: string
  /** Contents by path. */
  files: ReadonlyMap<string, Uint8Array>
}

/** Skills uploaded by `create_skill`. */
export interface UploadedSkills {
  owners: NameOwners
  /**
   * Stores a skill completely or not at all. `check` reads its files before they are visible, and
   * throws if they are not a valid skill. Throws `skill/exists`, `skill/quota`.
   */
  add(skill: NewSkill, check: (localDir: string) => Promise<void>): Promise<void>
  /** True if the path of a resolved skill is that of an upload. */
  has(localDir: string): boolean
  /** Same, after resolving symlinks. */
  hasRealPath(localDir: string): Promise<boolean>
  /** Removes leftovers of crashed processes. */
  sweep(): Promise<void>
}
