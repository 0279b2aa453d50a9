import { formatBytes } from '../../../../util/quantity.ts'
import type { LintedSkill, Rule } from '../../rule.ts'

const MAX_FILES = 512
const MAX_BYTES = 16 * 1024 * 1024

export const MCP_LIMITS: Rule = {
  id: 'portability/mcp-limits',
  severity: 'warning',
  what: 'The skill is larger than MCP servers may serve',
  why: 'The MCP skills extension allows 512 files and 16 MiB per skill; larger skills are omitted.',
  example: {
    bad: Object.fromEntries(
      Array.from({ length: MAX_FILES + 1 }, (_, index) => [`resources/${index}.txt`, `${index}\n`]),
    ),
    good: {},
  },
  fix: 'Make the skill smaller, or remove "mcp" from lint.profiles.',
  check(skill, report) {
    if (skill.profiles.includes('mcp'))
      reportSize(skill, report, { host: 'MCP', files: MAX_FILES, bytes: MAX_BYTES })
  },
}

/** Reports a skill that exceeds the limits of a host. */
export function reportSize(
  skill: LintedSkill,
  report: Parameters<Rule['check']>[1],
  limit: { host: string; files?: number; bytes: number },
): void {
  const files = skill.files.filter((file) => file.type === 'file')
  const bytes = files.reduce((sum, file) => sum + file.size, 0)
  const help = `Make it smaller, or change lint.profiles in skills.config.toml`
  if (limit.files !== undefined && files.length > limit.files) {
    report({
      file: '.',
      message: `The skill has ${files.length} files, ${limit.host} allows ${limit.files}`,
      help,
    })
  }
  if (bytes > limit.bytes) {
    report({
      file: '.',
      message: `The skill has ${formatBytes(bytes)}, ${limit.host} allows ${formatBytes(limit.bytes)}`,
      help,
    })
  }
}
