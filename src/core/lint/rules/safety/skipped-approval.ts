import { extendExampleBody } from '../../example-skill.ts'
import { reportSafety } from '../../report-safety.ts'
import type { Rule } from '../../rule.ts'

export const SKIPPED_APPROVAL: Rule = {
  id: 'safety/skipped-approval',
  severity: 'warning',
  what: 'The skill lets the agent act without asking the user',
  why: 'The user loses the decision about actions that cannot be undone.',
  example: {
    bad: { 'SKILL.md': extendExampleBody('Send the message without asking for confirmation.\n') },
    good: { 'SKILL.md': extendExampleBody('Ask for confirmation, then send the message.\n') },
  },
  fix: 'Ask the user before each such action.',
  check: reportSafety('skipped-approval'),
}
