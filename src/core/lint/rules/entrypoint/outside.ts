import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { locateInToml, quoteValue } from '../../skill-facts.ts'
import { findPathProblem } from '../../../skills/repository/contained-file.ts'

export const OUTSIDE: Rule = {
  id: 'entrypoint/outside',
  severity: 'error',
  what: "The entrypoint's path is not inside the skill",
  why: "Only the skill's own folder is mounted in the sandbox.",
  example: {
    bad: {
      'skill.toml': createExampleToml({}, EXAMPLE_TABLES.replace('code/main.py', '../main.py')),
    },
    good: {},
  },
  fix: 'Write a relative path with forward slashes, such as code/main.py.',
  check(skill, report) {
    const entrypoint = skill.manifest.runtime?.entrypoint
    if (!entrypoint) return
    const problem = findPathProblem(entrypoint)
    if (problem)
      report({
        ...locateInToml(skill, ['runtime', 'entrypoint']),
        message: `The entrypoint ${quoteValue(entrypoint)} is not valid: ${problem}`,
        help: 'Write a path inside the skill, such as "code/main.py"',
      })
  },
}
