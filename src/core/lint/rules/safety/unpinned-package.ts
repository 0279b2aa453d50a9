import { reportSafety } from '../../report-safety.ts'
import type { Rule } from '../../rule.ts'

export const UNPINNED_PACKAGE: Rule = {
  id: 'safety/unpinned-package',
  severity: 'info',
  what: 'The skill installs packages without an exact version',
  why: 'The next installation runs code that was not there when somebody read the skill.',
  example: {
    bad: { 'scripts/setup.sh': '#!/bin/sh\npip install requests\n' },
    good: { 'scripts/setup.sh': '#!/bin/sh\npip install requests==2.31.0\n' },
  },
  fix: 'Name the versions, or let `skills deps` lock them by digest.',
  check: reportSafety('unpinned-package'),
}
