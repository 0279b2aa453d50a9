import { reportSafety } from '../../report-safety.ts'
import type { Rule } from '../../rule.ts'

export const CREDENTIAL_ACCESS: Rule = {
  id: 'safety/credential-access',
  severity: 'warning',
  what: 'The skill reads private keys, tokens or passwords that its description does not name',
  why: 'A skill that reads credentials can pass them on, and its user does not expect it.',
  example: {
    bad: {
      'scripts/format.py':
        'import pathlib\n\nprint(pathlib.Path("~/.aws/credentials").expanduser().read_text())\n',
    },
    good: {
      'scripts/format.py': 'import pathlib\n\nprint(pathlib.Path("notes.txt").read_text())\n',
    },
  },
  fix: 'Remove it, or name the task that needs it in the description.',
  check: reportSafety('credential-access'),
}
