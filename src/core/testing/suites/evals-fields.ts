import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'
import {
  anyField,
  createTableSchema,
  flagField,
  listField,
  nameField,
  requiredField,
  spellValue,
  textField,
  type Field,
} from '../document/field.ts'

const idField: Field<string> = {
  description: 'Id of the case: a number or a text',
  schema: {
    anyOf: [{ type: 'integer' }, { type: 'string', minLength: 1 }],
    description: 'Id of the case: a number or a text',
  },
  read(value, place) {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
    if (typeof value === 'string' && value.trim() !== '') return value
    return place.refuse(`Expected a number or a text, got ${spellValue(value)}`)
  },
}

/** A list that may be empty, as tools write it. */
function textsField(description: string): Field<string[]> {
  const field = listField(description, nameField(description))
  const { minItems: _, ...schema } = field.schema
  return {
    ...field,
    schema,
    read: (value, place) =>
      Array.isArray(value) && value.length === 0 ? [] : field.read(value, place),
  }
}

/** Keys of a case, in both public dialects: `assertions` and `expectations` mean the same. */
export const EVAL_CASE_FIELDS = {
  id: requiredField(idField),
  name: nameField('Name of the case'),
  prompt: requiredField(nameField('The message of the user')),
  expected_output: textField('Description of a good result'),
  files: textsField('Files that the conversation begins with'),
  assertions: textsField('Statements that a judge checks'),
  expectations: textsField('Statements that a judge checks'),
}

const LIST: PlainObject = { type: 'array', items: {} }
const [FILLED, EMPTY] = [
  { ...LIST, minItems: 1 },
  { ...LIST, maxItems: 0 },
]

/** A case checks something, with at most one of the two lists. */
const CASE_SCHEMA: PlainObject = {
  ...createTableSchema(EVAL_CASE_FIELDS),
  anyOf: [
    {
      type: 'object',
      required: ['assertions'],
      properties: { assertions: FILLED, expectations: EMPTY },
    },
    {
      type: 'object',
      required: ['expectations'],
      properties: { assertions: EMPTY, expectations: FILLED },
    },
    {
      type: 'object',
      required: ['expected_output'],
      properties: {
        assertions: EMPTY,
        expectations: EMPTY,
        expected_output: { type: 'string', minLength: 1 },
      },
    },
  ],
}

const evalsField: Field<readonly Plain[]> = {
  description: 'The cases',
  schema: { type: 'array', minItems: 1, items: CASE_SCHEMA, description: 'The cases' },
  read: (value, place) =>
    Array.isArray(value) && value.length > 0
      ? value
      : place.refuse(`Expected at least one case, got ${spellValue(value)}`),
}

/** Keys of `evals.json`. */
export const EVALS_FIELDS = {
  $schema: anyField('Address of this schema, for editors'),
  skill_name: nameField('Name of the skill'),
  evals: requiredField(evalsField),
}

/** Keys of one trigger eval. */
export const QUERY_FIELDS = {
  query: requiredField(nameField('The message of the user')),
  should_trigger: requiredField(flagField('True if a model should choose the skill')),
}
