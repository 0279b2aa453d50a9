import type { Plain } from '../../../skills/manifest/manifest.ts'
import type { Edit, LintedSkill, Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { asTable, inToml, kindOfValue, tableAt, tomlOf } from '../../skill-facts.ts'

interface Expected {
  what: string
  fits: (value: Plain) => boolean
}

const TEXT: Expected = { what: 'a text', fits: (value) => typeof value === 'string' }
const TABLE: Expected = { what: 'a table', fits: (value) => kindOfValue(value) === 'a table' }
const TEXTS: Expected = {
  what: 'a list of texts',
  fits: (value) => Array.isArray(value) && value.every(TEXT.fits),
}

const TOP: readonly (readonly [string, Expected])[] = [
  ...['name', 'version', 'description', 'kind', 'namespace'].map((key) => [key, TEXT] as const),
  ['tags', TEXTS],
  ...['runtime', 'inputs', 'permissions', 'dependencies'].map((key) => [key, TABLE] as const),
]
const NESTED: readonly (readonly [string, string, Expected])[] = [
  ...['language', 'entrypoint', 'export'].map((key) => ['runtime', key, TEXT] as const),
  ...['network', 'secrets'].map((key) => ['permissions', key, TEXTS] as const),
  ['dependencies', 'python', TEXT],
]
const INPUT: readonly (readonly [string, Expected])[] = [
  ['type', TEXT],
  ['description', TEXT],
  ['required', { what: 'true or false', fits: (value) => typeof value === 'boolean' }],
  ['enum', { what: 'a list', fits: Array.isArray }],
]

export const WRONG_TYPE: Rule = {
  id: 'schema/wrong-type',
  severity: 'error',
  what: 'A value of skill.toml has another type than its key expects',
  why: 'A value of the wrong type is ignored, so the skill behaves as if it were not there.',
  example: { bad: { 'skill.toml': exampleToml({ tags: '"demo"' }) }, good: {} },
  fix: 'Write the value in the form that the message names. --fix-unsafe adds missing quotes and brackets.',
  fixable: 'unsafe',
  check(skill, report) {
    for (const [path, value, expected] of valuesOf(skill)) {
      if (value === undefined) continue
      const isDate = expected === TEXT && isUnquoted(skill, path, value)
      if (expected.fits(value) && !isDate) continue
      const got = isDate ? 'a date' : describe(value, expected)
      report({
        ...placeOf(skill, path, { value, expected }),
        message: `"${path.join('.')}" is ${got}, expected ${expected.what}`,
        help: `Write ${path.at(-1)} as ${expected.what}`,
        edits: repair(skill, path, { value, expected }),
        unsafe: true,
      })
    }
  },
}

type Judged = readonly [path: readonly string[], value: Plain | undefined, expected: Expected]

function* valuesOf(skill: LintedSkill): Generator<Judged> {
  const data = tomlOf(skill)
  if (!data) return
  for (const [key, expected] of TOP) yield [[key], data[key], expected]
  for (const [table, key, expected] of NESTED) {
    yield [[table, key], tableAt(skill, table)[key], expected]
  }
  for (const [name, input] of Object.entries(tableAt(skill, 'inputs'))) {
    yield [['inputs', name], input, { ...TABLE, what: 'a table such as { type = "string" }' }]
    for (const [key, expected] of INPUT)
      yield [['inputs', name, key], asTable(input)[key], expected]
  }
}

function describe(value: Plain, { fits }: Expected): string {
  if (!Array.isArray(value) || fits !== TEXTS.fits) return kindOfValue(value)
  return `a list with ${kindOfValue(value.find((each) => !TEXT.fits(each)))} in it`
}

/** In a list the element is at fault, not its neighbours. */
function placeOf(
  skill: LintedSkill,
  path: readonly string[],
  { value, expected }: { value: Plain; expected: Expected },
) {
  if (expected !== TEXTS || !Array.isArray(value)) return inToml(skill, path)
  return inToml(skill, [...path, value.findIndex((each) => !TEXT.fits(each))])
}

/** Dates arrive as texts; only the file tells them apart. */
function isUnquoted(skill: LintedSkill, path: readonly string[], value: Plain): boolean {
  if (typeof value !== 'string' || !/^\d\d(?:\d\d-\d\d|:\d\d)/.test(value)) return false
  const { span } = inToml(skill, path)
  return span !== undefined && /^\d/.test(skill.toml?.text.slice(span.start, span.end) ?? '')
}

function repair(
  skill: LintedSkill,
  path: readonly string[],
  { value, expected }: { value: Plain; expected: Expected },
): Edit[] {
  const { file, span } = inToml(skill, path)
  const written = span && skill.toml?.text.slice(span.start, span.end)
  if (!span || !written) return []
  const text = repaired(written, value, expected)
  return text === undefined ? [] : [{ kind: 'replace', file, span, text }]
}

function repaired(written: string, value: Plain, expected: Expected): string | undefined {
  if (expected === TEXT && /^[\w.:+ -]+$/.test(written)) return `"${written}"`
  if (expected === TEXTS && typeof value === 'string') return `[${written}]`
  if (expected.what === 'true or false' && (value === 'true' || value === 'false')) return value
  return undefined
}
