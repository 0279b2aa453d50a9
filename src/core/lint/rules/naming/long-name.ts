import { MAX_NAME } from '../../../skills/manifest/fields.ts'
import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { locateInToml, getToml } from '../../skill-facts.ts'

export const LONG_NAME: Rule = {
  id: 'naming/long-name',
  severity: 'error',
  what: `The name has more than ${MAX_NAME} characters`,
  why: 'Runtimes reject longer names, and paths that contain them fail on some systems.',
  example: {
    bad: { 'skill.toml': createExampleToml({ name: `"demo.${'g'.repeat(130)}"` }) },
    good: {},
  },
  fix: 'Choose a shorter name.',
  check(skill, report) {
    const name = getToml(skill)?.['name']
    if (typeof name !== 'string' || name.length <= MAX_NAME) return
    report({
      ...locateInToml(skill, ['name']),
      message: `The name has ${name.length} characters, expected at most ${MAX_NAME}`,
      help: 'Shorten it',
    })
  },
}
