import { createTableSchema } from '../../src/core/testing/document/field.ts'
import { EXPECTATIONS } from '../../src/core/testing/expectations/index.ts'
import { ACTION_KINDS } from '../../src/core/testing/suites/case-actions.ts'
import { SUITE_FIELDS } from '../../src/core/testing/suites/case-fields.ts'
import { propertyTable } from './json-schema.ts'
import { list, renderPage, sentence } from './markdown.ts'

/** tests.md: the keys of files of cases, from the fields that read them. */
export function renderTests(): string {
  return renderPage('Tests of skills', [
    'Keys of `tests/*.test.toml` and `tests/*.test.yaml`. `skills schema test` prints the JSON Schema; other keys are errors.',
    '## Keys',
    propertyTable(createTableSchema(SUITE_FIELDS)),
    '## Actions',
    list(
      ACTION_KINDS.map(({ key, summary, fields }) => {
        const keys = Object.keys(fields).map((name) => `\`${name}\``)
        return `${key === undefined ? 'None of these' : `\`${key}\``}: ${sentence(summary)} Keys: ${keys.join(', ')}`
      }),
    ),
    '## Expectations',
    'Each has `not` as well.',
    ...EXPECTATIONS.flatMap(({ name, summary, example, field }) => {
      const properties = propertyTable(field.schema)
      return [`### \`${name}\``, sentence(summary), `\`${example}\``, properties].filter(Boolean)
    }),
  ])
}
