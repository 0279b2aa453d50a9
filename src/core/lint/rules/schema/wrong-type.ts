import type { Plain } from '../../../skills/manifest/manifest.ts'
import type { LintEdit, LintedSkill, Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { toTable, locateInToml, describeType, getTable, getToml } from '../../skill-facts.ts'

interface ExpectedType {
  description: string
  matches: (value: Plain) => boolean
}

const TEXT: ExpectedType = {
  description: 'a string',
  matches: (value) => typeof value === 'string',
}
const TABLE: ExpectedType = {
  description: 'a table',
  matches: (value) => describeType(value) === 'a table',
}
const FLAG: ExpectedType = {
  description: 'true or false',
  matches: (value) => typeof value === 'boolean',
}
const TEXTS: ExpectedType = {
  description: 'a list of strings',
  matches: (value) => Array.isArray(value) && value.every(TEXT.matches),
}

const SECRETS: ExpectedType = {
  description: 'a list of names, or a table by name',
  matches: (value) => TEXTS.matches(value) || TABLE.matches(value),
}

const TOP_TYPES: readonly (readonly [string, ExpectedType])[] = [
  ...['name', 'version', 'description', 'kind', 'namespace'].map((key) => [key, TEXT] as const),
  ['tags', TEXTS],
  ...['runtime', 'inputs', 'permissions', 'dependencies', 'requires'].map(
    (key) => [key, TABLE] as const,
  ),
]
const NESTED_TYPES: readonly (readonly [string, string, ExpectedType])[] = [
  ...['language', 'entrypoint', 'export'].map((key) => ['runtime', key, TEXT] as const),
  ['runtime', 'additional_inputs', FLAG],
  ['permissions', 'network', TEXTS],
  ['permissions', 'secrets', SECRETS],
  ['dependencies', 'python', TEXT],
  ['dependencies', 'node', TEXT],
  ...['programs', 'environment', 'os'].map((key) => ['requires', key, TEXTS] as const),
]
const INPUT_TYPES: readonly (readonly [string, ExpectedType])[] = [
  ['type', TEXT],
  ['description', TEXT],
  ['required', FLAG],
  ['enum', { description: 'a list', matches: Array.isArray }],
]

export const WRONG_TYPE: Rule = {
  id: 'schema/wrong-type',
  severity: 'error',
  what: 'A value of skill.toml has the wrong type',
  why: 'A value of the wrong type is ignored, as if it were missing.',
  example: { bad: { 'skill.toml': createExampleToml({ tags: '"demo"' }) }, good: {} },
  fix: 'Write the value with the expected type. --fix-unsafe adds missing quotes and brackets.',
  fixable: 'unsafe',
  check(skill, report) {
    for (const [path, value, expected] of listTypedValues(skill)) {
      if (value === undefined) continue
      const isDate = expected === TEXT && isUnquoted(skill, path, value)
      if (expected.matches(value) && !isDate) continue
      const got = isDate ? 'a date' : describeValue(value, expected)
      report({
        ...locateValue(skill, path, { value, expected }),
        message: `"${path.join('.')}" is ${got}, expected ${expected.description}`,
        help: `Write ${path.at(-1)} as ${expected.description}`,
        edits: repairValue(skill, path, { value, expected }),
        unsafe: true,
      })
    }
  },
}

type TypedValue = readonly [
  path: readonly string[],
  value: Plain | undefined,
  expected: ExpectedType,
]

function* listTypedValues(skill: LintedSkill): Generator<TypedValue> {
  const data = getToml(skill)
  if (!data) return
  for (const [key, expected] of TOP_TYPES) yield [[key], data[key], expected]
  for (const [table, key, expected] of NESTED_TYPES) {
    yield [[table, key], getTable(skill, table)[key], expected]
  }
  for (const [name, input] of Object.entries(getTable(skill, 'inputs'))) {
    yield [
      ['inputs', name],
      input,
      { ...TABLE, description: 'a table such as { type = "string" }' },
    ]
    for (const [key, expected] of INPUT_TYPES)
      yield [['inputs', name, key], toTable(input)[key], expected]
  }
}

function describeValue(value: Plain, { matches: fits }: ExpectedType): string {
  if (!Array.isArray(value) || (fits !== TEXTS.matches && fits !== SECRETS.matches))
    return describeType(value)
  return `a list with ${describeType(value.find((each) => !TEXT.matches(each)))} in it`
}

/** In a list, locates the wrong element. */
function locateValue(
  skill: LintedSkill,
  path: readonly string[],
  { value, expected }: { value: Plain; expected: ExpectedType },
) {
  if ((expected !== TEXTS && expected !== SECRETS) || !Array.isArray(value))
    return locateInToml(skill, path)
  return locateInToml(skill, [...path, value.findIndex((each) => !TEXT.matches(each))])
}

/** True for dates, which the parser returns as strings; only the source text distinguishes them. */
function isUnquoted(skill: LintedSkill, path: readonly string[], value: Plain): boolean {
  if (typeof value !== 'string' || !/^\d\d(?:\d\d-\d\d|:\d\d)/.test(value)) return false
  const { span } = locateInToml(skill, path)
  return span !== undefined && /^\d/.test(skill.toml?.text.slice(span.start, span.end) ?? '')
}

function repairValue(
  skill: LintedSkill,
  path: readonly string[],
  { value, expected }: { value: Plain; expected: ExpectedType },
): LintEdit[] {
  const { file, span } = locateInToml(skill, path)
  const written = span && skill.toml?.text.slice(span.start, span.end)
  if (!span || !written) return []
  const text = convertText(written, value, expected)
  return text === undefined ? [] : [{ kind: 'replace', file, span, text }]
}

function convertText(written: string, value: Plain, expected: ExpectedType): string | undefined {
  if (expected === TEXT && /^[\w.:+ -]+$/.test(written)) return `"${written}"`
  if ((expected === TEXTS || expected === SECRETS) && typeof value === 'string')
    return `[${written}]`
  if (expected.description === 'true or false' && (value === 'true' || value === 'false'))
    return value
  return undefined
}
