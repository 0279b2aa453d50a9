import type { PlainObject } from '../skills/manifest/manifest.ts'
import { CASSETTE_FIELDS } from '../testing/cassettes/cassette-fields.ts'
import { createTableSchema } from '../testing/document/field.ts'

/** JSON Schema of recorded requests, generated from the fields that read them. */
export function createCassetteSchema(): PlainObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Recorded requests of a case: tests/<suite>/<case>.cassette.toml',
    ...createTableSchema(CASSETTE_FIELDS),
  }
}
