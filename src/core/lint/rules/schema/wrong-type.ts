import type { Plain } from '../../../manifest/manifest.ts'
import type { Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { asTable, inToml, kindOfValue, tableAt, tomlOf } from '../../skill-facts.ts'

type Check = readonly [path: readonly string[], expected: string, fits: (value: Plain) => boolean]

const isText = (value: Plain): boolean => typeof value === 'string'
const isTable = (value: Plain): boolean => kindOfValue(value) === 'a table'
const isTexts = (value: Plain): boolean => Array.isArray(value) && value.every(isText)

const CHECKS: readonly Check[] = [
  ...['name', 'version', 'description', 'kind', 'namespace'].map((key): Check => [
    [key],
    'a text',
    isText,
  ]),
  [['tags'], 'a list of texts', isTexts],
  ...['runtime', 'inputs', 'permissions'].map((key): Check => [[key], 'a table', isTable]),
  ...['language', 'entrypoint', 'export'].map((key): Check => [['runtime', key], 'a text', isText]),
  ...['network', 'secrets'].map((key): Check => [['permissions', key], 'a list of texts', isTexts]),
]

const INPUT_CHECKS: readonly (readonly [string, string, (value: Plain) => boolean])[] = [
  ['type', 'a text', isText],
  ['description', 'a text', isText],
  ['required', 'true or false', (value) => typeof value === 'boolean'],
  ['enum', 'a list', Array.isArray],
]

export const WRONG_TYPE: Rule = {
  id: 'schema/wrong-type',
  severity: 'error',
  what: 'A value of skill.toml has another type than its key expects',
  why: 'A value of the wrong type is ignored, so the skill behaves as if it were not there.',
  example: { bad: { 'skill.toml': exampleToml({ tags: '"demo"' }) }, good: {} },
  fix: 'Write the value in the form that the message names.',
  check(skill, report) {
    const data = tomlOf(skill)
    if (!data) return
    const judge = (
      path: readonly string[],
      value: Plain | undefined,
      [expected, fits]: [string, Check[2]],
    ) => {
      if (value === undefined || fits(value)) return
      const got = Array.isArray(value) ? 'a list with something else' : kindOfValue(value)
      const message = `"${path.join('.')}" is ${got}, expected ${expected}`
      report({ ...inToml(skill, path), message, help: `Write ${path.at(-1)} as ${expected}` })
    }
    for (const [path, expected, fits] of CHECKS) {
      const parent = path.length === 1 ? data : tableAt(skill, path[0] as string)
      judge(path, parent[path.at(-1) as string], [expected, fits])
    }
    for (const [name, input] of Object.entries(tableAt(skill, 'inputs'))) {
      judge(['inputs', name], input, ['a table such as { type = "string" }', isTable])
      for (const [key, expected, fits] of INPUT_CHECKS) {
        judge(['inputs', name, key], asTable(input)[key], [expected, fits])
      }
    }
  },
}
