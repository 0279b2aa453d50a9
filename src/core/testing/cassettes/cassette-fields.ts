import type { Plain } from '../../skills/manifest/manifest.ts'
import {
  countField,
  flagField,
  listField,
  mapField,
  nameField,
  oneOrMoreField,
  requiredField,
  spellValue,
  tableField,
  textField,
  type Field,
} from '../document/field.ts'

const DAY = /^\d{4}-\d{2}-\d{2}$/
const MIN_STATUS = 200
const MAX_STATUS = 599

function dayField(description: string): Field<string> {
  return {
    description,
    schema: { type: 'string', format: 'date', description },
    read: (value, place) =>
      typeof value === 'string' && DAY.test(value) && !Number.isNaN(Date.parse(value))
        ? value
        : place.refuse(`Expected a day such as "2026-11-23", got ${spellValue(value)}`),
  }
}

const methodField: Field<string> = {
  description: 'Method, in capital letters',
  schema: { type: 'string', pattern: '^[A-Z]{1,20}$', description: 'Method, in capital letters' },
  read: (value, place) =>
    typeof value === 'string' && /^[A-Z]{1,20}$/.test(value)
      ? value
      : place.refuse(`Expected a method such as "GET", got ${spellValue(value)}`),
}

const urlField: Field<string> = {
  description: 'Absolute URL, http or https',
  schema: { type: 'string', format: 'uri', description: 'Absolute URL, http or https' },
  read: (value, place) =>
    typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)
      ? value
      : place.refuse(`Expected an absolute http or https URL, got ${spellValue(value)}`),
}

const statusField: Field<number> = {
  ...countField('Status of the response'),
  read: (value, place) =>
    Number.isInteger(value) && Number(value) >= MIN_STATUS && Number(value) <= MAX_STATUS
      ? Number(value)
      : place.refuse(
          `Expected a status of ${MIN_STATUS} to ${MAX_STATUS}, got ${spellValue(value)}`,
        ),
}

const timesField: Field<number | 'any'> = {
  description: 'Number of requests that it answers (default: 1), or "any"',
  schema: { anyOf: [{ type: 'integer', minimum: 1 }, { const: 'any' }] },
  read(value: Plain, place) {
    if (value === 'any') return 'any'
    if (Number.isSafeInteger(value) && Number(value) >= 1) return Number(value)
    return place.refuse(`Expected a whole number from 1, or "any", got ${spellValue(value)}`)
  },
}

const headersField = mapField(
  'Headers: a value, or a list of values',
  oneOrMoreField('Values of the header', textField('A value')),
)

const BODY_FIELDS = {
  text: textField('The body'),
  file: nameField('File with the body, in the folder that is named like the cassette'),
}

/** Keys of a cassette. */
export const CASSETTE_FIELDS = {
  $schema: textField('JSON Schema of this file, for editors'),
  recorded: dayField('Day of the recording'),
  expires: dayField('First day on which the cases fail, because it must be recorded again'),
  match_headers: listField(
    'Headers of requests that are compared, besides method, URL and body',
    nameField('A name'),
  ),
  ordered: flagField('True if the requests must arrive in this order (default: false)'),
  exchanges: requiredField(
    listField(
      'Requests and their answers',
      tableField('A request and its answer', {
        request: requiredField(
          tableField('The request', {
            method: requiredField(methodField),
            url: requiredField(urlField),
            headers: headersField,
            ...BODY_FIELDS,
          }),
        ),
        response: requiredField(
          tableField('The answer', {
            status: requiredField(statusField),
            headers: headersField,
            ...BODY_FIELDS,
          }),
        ),
        times: timesField,
      }),
    ),
  ),
}
