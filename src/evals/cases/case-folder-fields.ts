import type { Plain } from '../../core/skills/manifest/manifest.ts'
import {
  countField,
  listField,
  nameField,
  spellValue,
  tableField,
  textField,
  mapField,
  type Field,
  type FieldValues,
} from '../../core/testing/document/field.ts'
import { EVAL_VARIABLE } from './eval-reader.ts'

const MAX_TURNS = 200
const MAX_SECONDS = 3600
const MAX_RUNS = 50

/** A whole number from 1. */
function boundedField(description: string, most: number): Field<number> {
  const field = countField(description)
  return {
    ...field,
    schema: { ...field.schema, minimum: 1, maximum: most },
    read: (value, place) =>
      typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most
        ? value
        : place.refuse(`Expected a whole number from 1 to ${most}, got ${spellValue(value)}`),
  }
}

const environmentField: Field<Map<string, string>> = {
  ...mapField('Variables of programs', textField('The value')),
  read(value, place) {
    const read = mapField('', textField('')).read(value, place)
    for (const name of read?.keys() ?? []) {
      if (EVAL_VARIABLE.test(name)) continue
      place.at(name).refuse(`Expected a variable EVAL_…, got "${name}"`, { what: 'key' })
    }
    return read
  },
}

/** A version as a text, or as YAML reads an unquoted one. */
const versionField: Field<string> = {
  description: 'Version of the format',
  schema: { enum: ['1.0', '1.1', 1, 1.1] },
  read: (value, place) =>
    (typeof value === 'string' || typeof value === 'number') &&
    ['1', '1.0', '1.1'].includes(String(value))
      ? String(value)
      : place.refuse(`Expected the version 1.0 or 1.1, got ${spellValue(value)}`),
}

/** One name, names with commas, or a list. */
const toolsField: Field<string[]> = {
  ...listField('Tools to offer', nameField('A tool')),
  read: (value, place) =>
    typeof value === 'string'
      ? value
          .split(',')
          .map((each) => each.trim())
          .filter(Boolean)
      : listField('Tools to offer', nameField('A tool')).read(value, place),
}

const EXECUTION_FIELDS = {
  max_turns: boundedField('Requests to the model', MAX_TURNS),
  timeout_seconds: boundedField('Time limit of a run, in seconds', MAX_SECONDS),
  model: textField('A model'),
  allowed_tools: toolsField,
  append_system_prompt: textField('Text after the system message'),
  env: environmentField,
}

const DESCRIPTION_FIELDS = {
  schema_version: versionField,
  name: nameField('Name of the case'),
  description: textField('Purpose of the case'),
  tags: listField('Words to select cases by', nameField('A word')),
  runs: boundedField('Times that each arm runs', MAX_RUNS),
}

/** Keys of the front matter of `prompt.md`. */
export const PROMPT_FIELDS = { ...DESCRIPTION_FIELDS, ...EXECUTION_FIELDS }

const executionField = tableField('How the case runs', {
  ...EXECUTION_FIELDS,
  prompt: textField('The message of the user'),
})

export type ExecutionValues = Partial<
  FieldValues<typeof EXECUTION_FIELDS> & { prompt: string | undefined }
>

const listedField: Field<readonly Plain[]> = {
  description: 'Graders, as in graders/*.md',
  schema: { type: 'array' },
  read: (value, place) =>
    Array.isArray(value) ? value : place.refuse(`Expected a list, got ${spellValue(value)}`),
}

/** Keys of `case.yaml`. */
export const CASE_FILE_FIELDS = {
  ...DESCRIPTION_FIELDS,
  plugins: listField('Plugins', textField('A path')),
  context: tableField('What the run begins with', {
    scaffold_script: nameField('Shell script that prepares the workspace'),
    history_file: textField('An earlier conversation'),
    add_dirs: listField('Further folders', textField('A path')),
  }),
  execution: executionField,
  graders: listedField,
  expected_outcome: textField('Description of a good result'),
}
