import { reportSafety } from '../../report-safety.ts'
import type { Rule } from '../../rule.ts'

export const DISABLED_PROTECTION: Rule = {
  id: 'safety/disabled-protection',
  severity: 'warning',
  what: 'The skill turns off a protection of the machine',
  why: 'Others can then attack the machine.',
  example: {
    bad: { 'scripts/setup.sh': '#!/bin/sh\nsudo ufw disable\n' },
    good: { 'scripts/setup.sh': '#!/bin/sh\nufw status\n' },
  },
  fix: 'Remove it, or name it in the description and ask the user first.',
  check: reportSafety('disabled-protection'),
}
