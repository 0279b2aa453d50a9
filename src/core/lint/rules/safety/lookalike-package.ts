import { reportSafety } from '../../report-safety.ts'
import type { Rule } from '../../rule.ts'

export const LOOKALIKE_PACKAGE: Rule = {
  id: 'safety/lookalike-package',
  severity: 'warning',
  what: 'The skill installs a package with nearly the name of a well-known one',
  why: 'Such names are registered to run code of attackers.',
  example: {
    bad: { 'scripts/setup.sh': '#!/bin/sh\npip install reqeusts==2.31.0\n' },
    good: { 'scripts/setup.sh': '#!/bin/sh\npip install requests==2.31.0\n' },
  },
  fix: 'Install the well-known package, or name the source of this one.',
  check: reportSafety('lookalike-package'),
}
