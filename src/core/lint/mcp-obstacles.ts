import { readSkillSource } from '../skills/manifest/read-source.ts'
import type { SkillSource } from '../skills/manifest/source.ts'
import { toManifest } from '../skills/manifest/to-manifest.ts'
import type { LintedSkill, Rule } from './rule.ts'
import { FRONT_MATTER_SYNTAX } from './rules/docs/front-matter-syntax.ts'
import { MISSING_FRONT_MATTER } from './rules/docs/missing-front-matter.ts'
import { DANGLING_SYMLINK } from './rules/files/dangling-symlink.ts'
import { MISSING_SKILL_MD } from './rules/files/missing-skill-md.ts'
import { SPECIAL_FILE } from './rules/files/special-file.ts'
import { SYMLINK_OUTSIDE } from './rules/files/symlink-outside.ts'
import { COMPATIBILITY } from './rules/portability/compatibility.ts'
import { MCP_LIMITS } from './rules/portability/mcp-limits.ts'
import { MCP_SKILL } from './rules/portability/mcp-skill.ts'
import { METADATA_VALUES } from './rules/portability/metadata-values.ts'
import { SYMLINK } from './rules/portability/symlink.ts'

/** Rules whose findings exclude a skill from MCP's skills extension. */
const MCP_OBSTACLES: readonly Rule[] = [
  MISSING_SKILL_MD,
  MISSING_FRONT_MATTER,
  FRONT_MATTER_SYNTAX,
  MCP_SKILL,
  COMPATIBILITY,
  METADATA_VALUES,
  SYMLINK,
  SYMLINK_OUTSIDE,
  DANGLING_SYMLINK,
  SPECIAL_FILE,
  MCP_LIMITS,
]

/**
 * Reads a skill's folder and lists the reasons for which MCP cannot serve it, in the words of lint.
 */
export function readForMcp(dir: string): { source: SkillSource; obstacles: string[] } {
  const source = readSkillSource(dir)
  const skill: LintedSkill = {
    ...source,
    folder: dir.slice(dir.lastIndexOf('/') + 1),
    ...toManifest(source),
    profiles: ['mcp', 'agent-skills'],
    requestedProfiles: [],
    duplicates: [],
    isTooDeep: false,
    getPythonFacts: () => undefined,
    getCodeFacts: () => undefined,
  }
  const obstacles: string[] = []
  for (const rule of MCP_OBSTACLES) {
    // It leaves out what rules of plain Agent Skills report as well, unless they are off.
    const checked = rule === MCP_SKILL ? { ...skill, profiles: ['mcp' as const] } : skill
    rule.check(checked, ({ message }) => obstacles.push(message))
  }
  return { source, obstacles }
}
