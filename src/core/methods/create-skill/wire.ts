import type { PlainObject } from '../../skills/manifest/manifest.ts'

/** A file as a caller sends it. */
export interface GivenFile {
  path: string
  content: string
  encoding?: 'base64' | undefined
}

export interface CreateSkillParams {
  /** skill.toml as JSON. */
  manifest: PlainObject
  skill_md: string
  files?: readonly GivenFile[] | undefined
}

export interface CreateSkillResult {
  name: string
  version: string
}
