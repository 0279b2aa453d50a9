import type { Rule } from '../../rule.ts'
import { isSuitePath } from './suite-files.ts'

export const MISSING_TESTS: Rule = {
  id: 'tests/missing-tests',
  severity: 'info',
  what: 'A skill with code has no tests',
  why: 'Whether it still works after a change, or on another machine, is not known.',
  example: {
    bad: { 'tests/greet.test.toml': null },
    good: {},
  },
  fix: 'Write a case in tests/<topic>.test.toml, and run it with "skills test".',
  check({ manifest, files, toml }, report) {
    if (!manifest.runtime || files.some(({ path }) => isSuitePath(path))) return
    report({
      file: 'skill.toml',
      span: toml?.locate(['runtime'], 'key'),
      message: 'The code of this skill has no tests',
      help: 'Add tests/<topic>.test.toml, and run it with "skills test"',
    })
  },
}
