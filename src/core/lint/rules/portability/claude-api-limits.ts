import type { Rule } from '../../rule.ts'
import { reportSize } from './mcp-limits.ts'

/** Source: "Using Agent Skills with the API", requirements of an upload. */
const MAX_BYTES = 30 * 1024 * 1024

export const CLAUDE_API_LIMITS: Rule = {
  id: 'portability/claude-api-limits',
  severity: 'warning',
  what: 'The skill is larger than the Claude API accepts',
  why: 'An upload of more than 30 MiB is refused.',
  example: { bad: { 'resources/data.csv': 'a,b\n'.repeat(7_900_000) }, good: {} },
  fix: 'Make the skill smaller, or remove "claude-api" from lint.profiles.',
  check(skill, report) {
    if (skill.profiles.includes('claude-api'))
      reportSize(skill, report, { host: 'the Claude API', bytes: MAX_BYTES })
  },
}
