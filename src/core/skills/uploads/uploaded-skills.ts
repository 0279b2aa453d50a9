/** A skill to be kept. */
export interface NewSkill {
  name: string
  version: string
  /** Contents by path. */
  files: ReadonlyMap<string, Uint8Array>
}

/** Skills that came by `create_skill`. */
export interface UploadedSkills {
  /**
   * Keeps a skill, whole or not at all. `check` reads its files before they are visible, and throws
   * where they are not a skill that may be kept. Throws `skill/exists`, `skill/quota`.
   */
  add(skill: NewSkill, check: (localDir: string) => Promise<void>): Promise<void>
  /** Whether the path of a resolved skill is that of an upload. */
  has(localDir: string): boolean
  /** The same, by whatever links it is reached. */
  hasRealPath(localDir: string): Promise<boolean>
  /** Removes what crashed processes left. */
  sweep(): Promise<void>
}
