import { reportSafety } from '../../report-safety.ts'
import type { Rule } from '../../rule.ts'

export const DESTRUCTION: Rule = {
  id: 'safety/destruction',
  severity: 'error',
  what: 'The skill destroys data of the user',
  why: 'The data cannot be restored.',
  example: {
    bad: { 'scripts/clean.sh': '#!/bin/sh\nrm -rf ~/*\n' },
    good: { 'scripts/clean.sh': '#!/bin/sh\nrm -rf ./build\n' },
  },
  fix: 'Delete only what the skill created.',
  check: reportSafety('destruction'),
}
