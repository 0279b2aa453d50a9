import type { PlainObject } from '../../skills/manifest/manifest.ts'

export interface DescribeSkillParams {
  name: string
  version?: string | undefined
  detail?: 'manifest' | 'summary' | 'full' | undefined
}

export interface DescribeSkillResult {
  skill: {
    /** skill.toml as parsed; for a plain Agent Skill what its front matter amounts to. */
    manifest: PlainObject
    versions: readonly string[]
    skill_md_frontmatter?: PlainObject
    skill_md?: string
    files?: readonly { path: string; size_bytes: number }[]
  }
}
