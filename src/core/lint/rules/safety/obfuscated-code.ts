import { reportSafety } from '../../report-safety.ts'
import type { Rule } from '../../rule.ts'

export const OBFUSCATED_CODE: Rule = {
  id: 'safety/obfuscated-code',
  severity: 'error',
  what: 'The skill executes code that is encoded or assembled',
  why: 'Reviewers cannot read what is executed.',
  example: {
    bad: {
      'scripts/run.sh': '#!/bin/sh\necho ZWNobyBoZWxsbyB3b3JsZCBhZ2Fpbg== | base64 -d | sh\n',
    },
    good: { 'scripts/run.sh': '#!/bin/sh\necho hello\n' },
  },
  fix: 'Write the code as it is.',
  check: reportSafety('obfuscated-code'),
}
