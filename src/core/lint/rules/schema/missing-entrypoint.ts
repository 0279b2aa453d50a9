import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { toTable, locateInToml, describeType, getToml } from '../../skill-facts.ts'
import { isMisplaced } from '../../stray-keys.ts'

export const MISSING_ENTRYPOINT: Rule = {
  id: 'schema/missing-entrypoint',
  severity: 'error',
  what: '[runtime] has no entrypoint',
  why: 'Without runtime.entrypoint every call of the skill fails.',
  example: {
    bad: {
      'skill.toml': createExampleToml(
        {},
        EXAMPLE_TABLES.replace('entrypoint = "code/main.py"\n', ''),
      ),
    },
    good: {},
  },
  fix: 'Add entrypoint = "code/main.py".',
  check(skill, report) {
    const runtime = getToml(skill)?.['runtime']
    if (describeType(runtime) !== 'a table' || isMisplaced(skill, 'runtime', 'entrypoint')) return
    const { entrypoint } = toTable(runtime)
    if (entrypoint !== undefined && entrypoint !== '') return
    report({
      ...locateInToml(
        skill,
        entrypoint === '' ? ['runtime', 'entrypoint'] : ['runtime'],
        entrypoint === '' ? 'value' : 'key',
      ),
      message: '[runtime] has no "entrypoint", expected a path such as "code/main.py"',
      help: 'Add entrypoint = "code/main.py" to [runtime]',
    })
  },
}
