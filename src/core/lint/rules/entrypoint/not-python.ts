import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { locateInToml, quoteValue } from '../../skill-facts.ts'

export const NOT_PYTHON: Rule = {
  id: 'entrypoint/not-python',
  severity: 'error',
  what: 'The entrypoint of a Python skill is no .py file',
  why: 'It is imported as a module, which needs a name that ends in .py.',
  example: {
    bad: {
      'skill.toml': createExampleToml({}, EXAMPLE_TABLES.replace('main.py', 'main.txt')),
      'code/main.txt': 'def main(args): ...\n',
    },
    good: {},
  },
  fix: 'Rename the file, and the entrypoint with it.',
  check(skill, report) {
    const { runtime } = skill.manifest
    if (runtime?.language !== 'python' || !runtime.entrypoint || runtime.entrypoint.endsWith('.py'))
      return
    if (!skill.files.some((file) => file.path === runtime.entrypoint && file.type === 'file'))
      return
    report({
      ...locateInToml(skill, ['runtime', 'entrypoint']),
      message: `The entrypoint ${quoteValue(runtime.entrypoint)} is no Python file, expected one that ends in ".py"`,
      help: 'Rename the file to end in .py',
    })
  },
}
