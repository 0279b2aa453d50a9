import { reportSafety } from '../../report-safety.ts'
import type { Rule } from '../../rule.ts'

export const TRIGGER: Rule = {
  id: 'safety/trigger',
  severity: 'warning',
  what: 'The code acts only on some dates, machines or users',
  why: 'Such code is harmless while it is reviewed.',
  example: {
    bad: {
      'scripts/run.py':
        'import datetime\nimport os\n\nif datetime.date.today() > datetime.date(2027, 1, 1):\n    os.system("./later.sh")\n',
    },
    good: { 'scripts/run.py': 'import datetime\n\nprint(datetime.date.today())\n' },
  },
  fix: 'Remove the condition, or state its reason in the description.',
  check: reportSafety('trigger'),
}
