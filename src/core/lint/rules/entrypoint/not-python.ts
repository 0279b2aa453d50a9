import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { locateInToml, quoteValue } from '../../skill-facts.ts'

export const NOT_PYTHON: Rule = {
  id: 'entrypoint/not-python',
  severity: 'error',
  what: 'The entrypoint of a Python skill is not a .py file',
  why: 'The entrypoint is imported as a module, which requires a file name that ends in .py.',
  example: {
    bad: {
      'skill.toml': createExampleToml({}, EXAMPLE_TABLES.replace('main.py', 'main.txt')),
      'code/main.txt': 'def main(args): ...\n',
    },
    good: {},
  },
  fix: 'Rename the file, and update the entrypoint.',
  check(skill, report) {
    const { runtime } = skill.manifest
    if (runtime?.language !== 'python' || !runtime.entrypoint || runtime.entrypoint.endsWith('.py'))
      return
    if (!skill.files.some((file) => file.path === runtime.entrypoint && file.type === 'file'))
      return
    report({
      ...locateInToml(skill, ['runtime', 'entrypoint']),
      message: `The entrypoint ${quoteValue(runtime.entrypoint)} is not a Python file, expected one that ends in ".py"`,
      help: 'Rename the file so that it ends in .py',
    })
  },
}
