import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'
import {
  anyField,
  bytesField,
  createTableSchema,
  durationField,
  integerField,
  isTable,
  listField,
  mapField,
  nameField,
  requiredField,
  spellValue,
  tableField,
  textField,
  type Field,
} from '../document/field.ts'
import type { Place } from '../document/problems.ts'
import type { Expectation, ExpectationKind } from '../expectations/expectation.ts'
import { EXPECTATIONS } from '../expectations/index.ts'
import { ACTION_FIELDS } from './case-actions.ts'
import { fakesField } from './fake-commands.ts'
import { setupFilesField } from './setup-files.ts'
import { skillFileField } from '../document/skill-path.ts'

const DESCRIPTION =
  'Recorded requests and answers: true for the file that is named like the case, or a path'
const PATH = /^(?!.*(?:^|\/)\.\.?(?:\/|$))[\w-][\w./-]*\.toml$/

const cassetteField: Field<true | string> = {
  description: DESCRIPTION,
  schema: {
    anyOf: [{ const: true }, { type: 'string', pattern: '\\.toml$' }],
    description: DESCRIPTION,
  },
  read(value, place) {
    if (value === true) return true
    if (typeof value === 'string' && PATH.test(value)) return value
    return place.refuse(
      `Expected true, or the path of a .toml file below this folder, got ${spellValue(value)}`,
    )
  },
}

/** The clock: milliseconds since 1970, or `real`. */
const nowField: Field<number | 'real'> = {
  description: 'Time at which the clock stands still, or "real" (default: 2024-01-01T00:00:00Z)',
  schema: {
    type: 'string',
    description: 'Time at which the clock stands still, or "real" (default: 2024-01-01T00:00:00Z)',
  },
  read(value, place) {
    if (value === 'real') return value
    const ms = typeof value === 'string' && ISO_TIME.test(value) ? Date.parse(value) : NaN
    if (Number.isFinite(ms)) return ms
    const expected = 'Expected "real" or a time such as "2024-01-01T00:00:00Z"'
    return place.refuse(`${expected}, got ${spellValue(value)}`)
  },
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?(?:Z|[+-]\d\d:\d\d)$/

/** An interpreter needs some memory before it can report that it has too little. */
const MIN_MEMORY_BYTES = 16 * 1024 ** 2

/** Keys that all cases of a suite can share. */
export const DEFAULT_FIELDS = {
  tags: listField('Words to select cases by, with --tag', nameField('A word')),
  timeout: durationField('Time limit of the run, at most that of the configuration'),
  memory: bytesField(
    'Memory limit of each run, at most that of the configuration, such as 64MiB',
    MIN_MEMORY_BYTES,
  ),
  seed: integerField('Seed of random numbers (default: 0)'),
  now: nowField,
  files: setupFilesField,
  fakes: fakesField,
  secrets: mapField('Fake values of declared secrets', nameField('The fake value')),
  cassette: cassetteField,
}

const NEGATION = {
  type: 'boolean',
  description: 'True if the record must not fit',
} as const satisfies PlainObject

/** One expectation: a table with one key of the list of expectations, and `not`. */
const expectationField: Field<Expectation> = {
  description: 'One expectation',
  schema: {
    oneOf: EXPECTATIONS.map(({ name, field, summary, cannotNegate }) => ({
      type: 'object',
      description: summary,
      additionalProperties: false,
      required: [name],
      properties: { [name]: field.schema, ...(!cannotNegate && { not: NEGATION }) },
    })),
  },
  read: (value, place) => readExpectation(value, place),
}

function readExpectation(value: Plain, place: Place): Expectation | undefined {
  if (!isTable(value)) return place.refuse(`Expected a table, got ${spellValue(value)}`)
  const { not = false, ...rest } = value
  const [name, second] = Object.keys(rest)
  if (name === undefined) {
    return place.refuse('An empty expectation checks nothing', { help: listExpectations() })
  }
  if (second !== undefined) {
    const help = 'Write one table for each expectation'
    return place
      .at(second)
      .refuse(`Expected one key, got "${name}" and "${second}"`, { what: 'key', help })
  }
  if (typeof not !== 'boolean') {
    return place.at('not').refuse(`Expected true or false, got ${spellValue(not)}`)
  }
  const kind = EXPECTATIONS.find((each) => each.name === name)
  if (!kind) {
    return place
      .at(name)
      .refuse(`Unknown expectation "${name}"`, { what: 'key', help: listExpectations() })
  }
  if (not && kind.cannotNegate) {
    return place.at('not').refuse(`The expectation "${name}" cannot be negated`, { what: 'key' })
  }
  return readKnownExpectation(kind, { value: rest[name] ?? null, isNegated: not, place })
}

function readKnownExpectation(
  kind: ExpectationKind,
  { value, isNegated, place }: { value: Plain; isNegated: boolean; place: Place },
): Expectation | undefined {
  const read = kind.field.read(value, place.at(kind.name))
  if (read === undefined) return undefined
  return {
    kind,
    value: read,
    isNegated,
    get position() {
      return place.position
    },
  }
}

function listExpectations(): string {
  return `The expectations are ${EXPECTATIONS.map(({ name }) => name).join(', ')}`
}

const expectField = listField('Expectations on the record of the run', expectationField)

/** Keys of a case. */
export const CASE_FIELDS = {
  name: requiredField(nameField('Name of the case, unique in its file')),
  ...DEFAULT_FIELDS,
  blobs: mapField('Files to store as blobs, by the arguments that get their ids', skillFileField),
  expect: requiredField(expectField),
}

const rowsField = listField(
  'Rows of a table of cases: {{name}} in a text of the case becomes the value of each row',
  mapField('Values of a row', anyField('A value')),
)

/** Keys of a case with those of all actions, as a schema describes them. */
const ALL_CASE_FIELDS = { ...CASE_FIELDS, rows: rowsField, ...ACTION_FIELDS }

const casesField: Field<readonly Plain[]> = {
  description: 'The cases',
  schema: {
    type: 'array',
    minItems: 1,
    items: createTableSchema(ALL_CASE_FIELDS),
    description: 'The cases',
  },
  read(value, place) {
    if (Array.isArray(value) && value.length > 0) return value
    const got = spellValue(value)
    return place.refuse(`Expected at least one case, got ${got}`, { help: 'Add [[cases]]' })
  },
}

/** Keys of a file of cases. */
export const SUITE_FIELDS = {
  $schema: textField('JSON Schema of this file, for editors'),
  suite: nameField('Name of the suite (default: the name of the file)'),
  defaults: tableField('Values of all cases that do not set them', DEFAULT_FIELDS),
  cases: requiredField(casesField),
}
