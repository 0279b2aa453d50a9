import { isDeepStrictEqual } from 'node:util'
import type { Plain } from '../../skills/manifest/manifest.ts'
import {
  anyField,
  choiceField,
  countField,
  filledTableField,
  isTable,
  patternField,
  spellValue,
  type Field,
  type FieldValues,
} from '../document/field.ts'
import { defineExpectation, type Judgement } from './expectation.ts'
import { jsonSchemaField } from './json-schema-field.ts'
import { parseValuePath, readValuePath } from './value-path.ts'

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const

/** A path of a part of a value. */
export const pathField: Field<ReturnType<typeof parseValuePath>> = {
  description: 'Path of a part of the value, such as items[0].name',
  schema: { type: 'string', description: 'Path of a part of the value, such as items[0].name' },
  read: (value, place) =>
    (typeof value === 'string' ? parseValuePath(value) : undefined) ??
    place.refuse(`Expected a path such as items[0].name, got ${spellValue(value)}`),
}

/** Keys of a condition on a value. */
export const VALUE_CONDITIONS = {
  path: pathField,
  equals: anyField('The whole value'),
  includes: anyField('A part of it: keys of an object, elements of a list, a part of a text'),
  matches: patternField('Regular expression that matches a part of the text'),
  type: choiceField('Type of the value', TYPES),
  schema: jsonSchemaField,
  length: countField('Elements of a list, keys of an object, or characters of a text'),
}

export type ValueCondition = FieldValues<typeof VALUE_CONDITIONS>

export const RESULT = defineExpectation({
  name: 'result',
  summary: 'The returned value, or a part of it',
  example: '{ result = { path = "rows[0].name", equals = "Oslo" } }',
  field: filledTableField('The returned value, or a part of it', VALUE_CONDITIONS),
  appliesTo: ['skill', 'code'],
  judge(condition, { result, status, error }) {
    if (result === undefined) {
      const got = error
        ? `${error.type}: ${error.message}`
        : `no result, with the status "${status}"`
      return { isMet: false, expected: 'a result', got }
    }
    return judgePart('result', result, condition)
  },
})

/** Judges the part of a value that a condition names; `subject` names the value. */
export function judgePart(subject: string, whole: Plain, condition: ValueCondition): Judgement {
  const { path = [] } = condition
  const value = readValuePath(whole, path)
  const name = path.length === 0 ? `the ${subject}` : `${subject} ${formatPath(path)}`
  if (value === undefined) return { isMet: false, expected: `${name} to exist` }
  return judgeValue(name, value, condition)
}

function formatPath(path: readonly (string | number)[]): string {
  return path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')
}

/** Judges the conditions in order; the first that does not hold decides. */
function judgeValue(name: string, value: Plain, condition: ValueCondition): Judgement {
  const { equals, includes, matches, type, length, schema } = condition
  const judgements: Judgement[] = []
  if (equals) {
    const isMet = isEqual(value, equals.value)
    const difference = { kind: 'json', expected: equals.value, actual: value } as const
    judgements.push({ isMet, expected: `${name} to equal the value`, difference })
  }
  if (includes) {
    const expected = `${name} to include ${JSON.stringify(includes.value)}`
    judgements.push({ isMet: isIncluded(includes.value, value), expected, got: spellJson(value) })
  }
  if (matches) {
    const isMet = typeof value === 'string' && matches.test(value)
    judgements.push({
      isMet,
      expected: `${name} to match ${String(matches)}`,
      got: spellJson(value),
    })
  }
  if (type !== undefined) {
    const isMet = hasJsonType(value, type)
    judgements.push({ isMet, expected: `${name} to be of type ${type}`, got: spellJson(value) })
  }
  if (schema) {
    const mistake = schema(value)
    const got = mistake ?? spellJson(value)
    judgements.push({ isMet: mistake === undefined, expected: `${name} to fit the schema`, got })
  }
  if (length !== undefined) {
    const count = countParts(value)
    const got = count === undefined ? spellJson(value) : String(count)
    judgements.push({ isMet: count === length, expected: `${name} to have length ${length}`, got })
  }
  const first = judgements.find(({ isMet }) => !isMet)
  return first ?? { isMet: true, expected: describeMet(name, judgements) }
}

function describeMet(name: string, judgements: readonly Judgement[]): string {
  return judgements.length === 0
    ? `${name} to exist`
    : judgements.map(({ expected }) => expected).join(' and ')
}

const MAX_SHOWN = 200

function spellJson(value: Plain): string {
  const text = JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** Equality of JSON values: objects of a parsed file have no prototype. */
function isEqual(actual: Plain, expected: Plain): boolean {
  return isDeepStrictEqual(toJson(actual), toJson(expected))
}

function toJson(value: Plain): Plain {
  return JSON.parse(JSON.stringify(value)) as Plain
}

/** True if every key, element or part of the expected value occurs in the actual one. */
function isIncluded(expected: Plain, actual: Plain): boolean {
  if (typeof expected === 'string' && typeof actual === 'string') return actual.includes(expected)
  if (isTable(expected) && isTable(actual)) {
    return Object.entries(expected).every(([key, each]) => {
      const own = Object.hasOwn(actual, key) ? actual[key] : undefined
      return own !== undefined && (isTable(each) ? isIncluded(each, own) : isEqual(own, each))
    })
  }
  if (Array.isArray(actual)) {
    const elements = Array.isArray(expected) ? expected : [expected]
    return elements.every((each) =>
      actual.some((own) => isEqual(own, each) || (isTable(each) && isIncluded(each, own))),
    )
  }
  return isEqual(actual, expected)
}

function hasJsonType(value: Plain, type: (typeof TYPES)[number]): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isTable(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

function countParts(value: Plain): number | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  return isTable(value) ? Object.keys(value).length : undefined
}
