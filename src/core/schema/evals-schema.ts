import type { PlainObject } from '../skills/manifest/manifest.ts'
import { createTableSchema } from '../testing/document/field.ts'
import { EVALS_FIELDS, QUERY_FIELDS } from '../testing/suites/evals-fields.ts'

/** JSON Schema of JSON files of evals, generated from the fields that read them. */
export function createEvalsSchema(): PlainObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Evals of a skill: evals/evals.json with cases, or a list of trigger evals',
    anyOf: [
      createTableSchema(EVALS_FIELDS),
      { type: 'array', minItems: 1, items: createTableSchema(QUERY_FIELDS) },
    ],
  }
}
