import type { PlainObject } from '../skills/manifest/manifest.ts'
import { createTableSchema } from '../testing/document/field.ts'
import { SUITE_FIELDS } from '../testing/suites/case-fields.ts'

/** JSON Schema of files of cases, generated from the fields that read them. */
export function createTestSchema(): PlainObject {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Tests of a skill: tests/*.test.toml, tests/*.test.yaml',
    ...createTableSchema(SUITE_FIELDS),
  }
}
