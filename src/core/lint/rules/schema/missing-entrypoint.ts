import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, exampleToml } from '../../example-skill.ts'
import { asTable, inToml, kindOfValue, tomlOf } from '../../skill-facts.ts'
import { isStray } from '../../stray-keys.ts'

export const MISSING_ENTRYPOINT: Rule = {
  id: 'schema/missing-entrypoint',
  severity: 'error',
  what: '[runtime] does not name the file to execute',
  why: 'Without runtime.entrypoint every call of the skill fails.',
  example: {
    bad: {
      'skill.toml': exampleToml({}, EXAMPLE_TABLES.replace('entrypoint = "code/main.py"\n', '')),
    },
    good: {},
  },
  fix: 'Add entrypoint = "code/main.py".',
  check(skill, report) {
    const runtime = tomlOf(skill)?.['runtime']
    if (kindOfValue(runtime) !== 'a table' || isStray(skill, 'runtime', 'entrypoint')) return
    const { entrypoint } = asTable(runtime)
    if (entrypoint !== undefined && entrypoint !== '') return
    report({
      ...inToml(
        skill,
        entrypoint === '' ? ['runtime', 'entrypoint'] : ['runtime'],
        entrypoint === '' ? 'value' : 'key',
      ),
      message: '[runtime] has no "entrypoint", expected a path such as "code/main.py"',
      help: 'Add entrypoint = "code/main.py" to [runtime]',
    })
  },
}
