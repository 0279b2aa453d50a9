import type { Rule } from '../../rule.ts'
import { parseSuites } from './suite-files.ts'

const CASE = '[[cases]]\nname = "greets"\nargs = { who = "World" }\n'

export const INVALID_SUITE: Rule = {
  id: 'tests/invalid-suite',
  severity: 'error',
  what: 'A file of tests has a mistake',
  why: '"skills test" runs nothing while one of its files is not valid.',
  example: {
    bad: { 'tests/greet.test.toml': `${CASE}expects = [{ status = "completed" }]\n` },
    good: { 'tests/greet.test.toml': `${CASE}expect = [{ status = "completed" }]\n` },
  },
  fix: 'Correct the key or the value at the reported position.',
  check(skill, report) {
    for (const [file, { problems }] of parseSuites(skill)) {
      for (const { span, message, help } of problems) report({ file, span, message, help })
    }
  },
}
