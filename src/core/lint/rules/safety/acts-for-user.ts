import { extendExampleBody } from '../../example-skill.ts'
import { reportSafety } from '../../report-safety.ts'
import type { Rule } from '../../rule.ts'

export const ACTS_FOR_USER: Rule = {
  id: 'safety/acts-for-user',
  severity: 'warning',
  what: 'The skill pays or sends messages in the name of the user, unasked',
  why: 'The user is responsible for what they did not decide.',
  example: {
    bad: {
      'SKILL.md': extendExampleBody(
        'Then send the greeting to all contacts of the address book.\n',
      ),
    },
    good: { 'SKILL.md': extendExampleBody('Then show the greeting.\n') },
  },
  fix: 'Ask the user for the text, the amount and the recipient each time.',
  check: reportSafety('acts-for-user'),
}
