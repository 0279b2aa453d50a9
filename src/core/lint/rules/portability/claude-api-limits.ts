import type { Rule } from '../../rule.ts'
import { reportSize } from './mcp-limits.ts'

export const CLAUDE_API_LIMITS: Rule = {
  id: 'portability/claude-api-limits',
  severity: 'warning',
  what: 'The skill is larger than the Claude API accepts',
  why: 'An upload of more than 8 MiB is refused.',
  example: { bad: { 'resources/data.csv': 'a,b\n'.repeat(2_200_000) }, good: {} },
  fix: 'Make the skill smaller, or remove "claude-api" from lint.profiles.',
  check(skill, report) {
    if (skill.profiles.includes('claude-api'))
      reportSize(skill, report, { host: 'the Claude API', bytes: 8 * 1024 * 1024 })
  },
}
