import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Plain } from '../../core/skills/manifest/manifest.ts'
import {
  anyField,
  choiceField,
  countField,
  flagField,
  isTable,
  listField,
  nameField,
  readTable,
  requiredField,
  spellValue,
  textField,
  type Field,
  type FieldTable,
  type FieldValues,
} from '../../core/testing/document/field.ts'
import type { Place } from '../../core/testing/document/problems.ts'
import type { Grader, GraderKind, GraderTarget } from './eval-case.ts'
import { findCaseFile, mapCallPattern, type UnmappedParts } from './eval-reader.ts'

const SOURCES = ['last_message', 'trace', 'files'] as const
const MAX_PATTERN = 2000

const targetField: Field<GraderTarget | 'unmapped'> = {
  description: 'Part of the run: last_message, trace, files, or { source: file, path: … }',
  schema: { type: ['string', 'object'] },
  read(value, place) {
    const plain = SOURCES.find((each) => each === value)
    if (plain) return { source: plain }
    if (value === 'mock_calls') return 'unmapped'
    if (!isTable(value)) {
      return place.refuse(`Expected ${SOURCES.join(', ')} or a table, got ${spellValue(value)}`)
    }
    const read = readTable(TARGET_FIELDS, value, place)
    return read?.path === undefined ? undefined : { source: 'file', path: read.path }
  },
}

const TARGET_FIELDS = {
  source: requiredField(choiceField('The kind of target', ['file'])),
  path: requiredField(nameField('Path of a file that the run created')),
}

const patternTextField: Field<string> = {
  description: 'Regular expression',
  schema: { type: 'string', format: 'regex' },
  read(value, place) {
    if (typeof value !== 'string' || value === '' || value.length > MAX_PATTERN) {
      return place.refuse(`Expected a regular expression, got ${spellValue(value)}`)
    }
    try {
      RegExp(value)
      return value
    } catch (cause) {
      return place.refuse(`Expected a regular expression: ${(cause as Error).message}`)
    }
  },
}

const CALL_FIELDS = {
  tool: requiredField(nameField('Name of the tool')),
  input_match: patternTextField,
}

/** A tool's name, or a table with `tool` and `input_match`. */
const callField: Field<{ tool: string; inputMatch: string | undefined }> = {
  description: 'A tool call',
  schema: { type: ['string', 'object'] },
  read(value, place) {
    if (typeof value === 'string' && value !== '') return { tool: value, inputMatch: undefined }
    const read = readTable(CALL_FIELDS, value, place)
    if (read?.tool === undefined) return undefined
    return { tool: read.tool, inputMatch: read.input_match }
  },
}

const matchField: Field<'contains' | 'not_contains' | { count: number }> = {
  description: 'contains, not_contains, or count:N',
  schema: { type: 'string' },
  read(value, place) {
    if (value === 'contains' || value === 'not_contains') return value
    const count = typeof value === 'string' ? /^count:(\d{1,6})$/.exec(value)?.[1] : undefined
    if (count !== undefined) return { count: Number(count) }
    return place.refuse(`Expected contains, not_contains or count:N, got ${spellValue(value)}`)
  },
}

const weightField: Field<number> = {
  description: 'Weight in the score of a run (default: 1)',
  schema: { type: 'number' },
  read: (value, place) =>
    typeof value === 'number' && Number.isFinite(value) && value > 0
      ? value
      : place.refuse(`Expected a number above 0, got ${spellValue(value)}`),
}

const COMMON_FIELDS = {
  type: requiredField(nameField('Kind of the grader')),
  name: nameField('Name of the grader'),
  weight: weightField,
  arm: choiceField('Arms that it judges', ['both', 'with-only', 'without-only']),
}

/** Keys of each kind of grader. */
const KIND_FIELDS = {
  regex: {
    pattern: requiredField(patternTextField),
    flags: textField('Flags of the regular expression'),
    match: matchField,
    target: targetField,
  },
  tool_used: {
    tool: requiredField(nameField('Name of the tool')),
    input_match: patternTextField,
    min: countField('Least number of calls (default: 1)'),
    max: countField('Greatest number of calls'),
  },
  tool_order: { before: requiredField(callField), after: requiredField(callField) },
  file_exists: {
    path: requiredField(nameField('Glob of a file that the run created')),
    exists: flagField('False if no such file may exist'),
  },
  json_schema: {
    schema: requiredField(anyField('JSON Schema of the value')),
    target: targetField,
  },
  program: {
    program: requiredField(
      listField('Program beside the grader that reads the record', textField('A word')),
    ),
  },
  llm: {
    criteria: nameField('Criteria for the judge; or the text of the file'),
    focus: targetField,
    target: targetField,
    model: textField('Model of the judge'),
  },
  baseline: {
    criteria: nameField('Criteria for the judge; or the text of the file'),
    baseline_file: requiredField(nameField('Transcript to compare with')),
  },
} as const satisfies Record<GraderKind, FieldTable>

/** A grader as a file writes it. */
interface WrittenGrader {
  value: Plain
  place: Place
  /** Name without a key `name`. */
  name: string
  /** Text after the front matter. */
  body: string
  /** Folder of the skill. */
  folder: string
}

/** Reads one grader; undefined after a problem, or if it has no equivalent. */
export function readGrader(written: WrittenGrader, unmapped: UnmappedParts): Grader | undefined {
  const { value, place } = written
  if (!isTable(value)) return place.refuse(`Expected a table, got ${spellValue(value)}`)
  const kind = Object.keys(KIND_FIELDS).find((each) => each === value['type'])
  if (kind === undefined) {
    const help = `The kinds are ${Object.keys(KIND_FIELDS).join(', ')}`
    const got = value['type'] === undefined ? 'nothing' : spellValue(value['type'])
    return place.at('type').refuse(`Expected a kind of grader, got ${got}`, { help })
  }
  const before = place.problemCount
  const fields = { ...COMMON_FIELDS, ...KIND_FIELDS[kind as GraderKind] }
  const values = readTable(fields, value, place)
  if (!values || place.problemCount > before) return undefined
  const { name = written.name, weight = 1, arm = 'both' } = values
  const build = BUILDERS[kind as GraderKind] as (context: BuildContext) => BuiltGrader | undefined
  const built = build({ values, ...written, unmapped })
  return built && ({ ...built, name, weight, arm } as Grader)
}

type BuiltGrader<Kind extends GraderKind = GraderKind> = Omit<
  Extract<Grader, { kind: Kind }>,
  'name' | 'weight' | 'arm'
>

interface BuildContext<Kind extends GraderKind = GraderKind> extends WrittenGrader {
  values: FieldValues<(typeof KIND_FIELDS)[Kind]>
  unmapped: UnmappedParts
}

const BUILDERS: {
  [Kind in GraderKind]: (context: BuildContext<Kind>) => BuiltGrader<Kind> | undefined
} = {
  regex({ values: { pattern = '', flags = '', match = 'contains', target }, place, unmapped }) {
    if (!/^(?!.*(.).*\1)[ims]*u?$/.test(flags)) {
      return place.at('flags').refuse(`Expected flags of i, m, s, u, got "${flags}"`)
    }
    const mapped = mapTarget(target, place, unmapped)
    return mapped && { kind: 'regex', pattern, flags, match, target: mapped }
  },
  tool_used({ values: { tool = '', input_match: inputMatch, min = 1, max }, place, unmapped }) {
    if (max !== undefined && max < min) {
      return place.at('max').refuse(`Expected at least ${min} as in min, got ${max}`)
    }
    const call = mapCallPattern({ tool, inputMatch }, place.at('tool'), unmapped)
    return call && { kind: 'tool_used', call, min, max }
  },
  tool_order({ values: { before, after }, place, unmapped }) {
    const first = before && mapCallPattern(before, place.at('before'), unmapped)
    const second = after && mapCallPattern(after, place.at('after'), unmapped)
    return first && second && { kind: 'tool_order', before: first, after: second }
  },
  file_exists: ({ values: { path = '', exists = true } }) => ({
    kind: 'file_exists',
    path,
    exists,
  }),
  json_schema({ values: { schema, target }, place, unmapped }) {
    const mapped = mapTarget(target, place, unmapped)
    return mapped && { kind: 'json_schema', schema: schema?.value ?? {}, target: mapped }
  },
  program({ values: { program = [] }, place, folder }) {
    const [word = ''] = program
    const file = findCaseFile(word, place.at('program').at(0), dirname(place.file))
    return file === undefined || folder === ''
      ? undefined
      : { kind: 'program', program, folder: dirname(place.file) }
  },
  llm({ values: { criteria, focus, target, model }, body, place, unmapped }) {
    if (model !== undefined) {
      unmapped.add(place.at('model'), 'The model of a judge is that of --judge-model')
    }
    const text = criteria ?? body
    if (text.trim() === '') return place.refuse('The grader has no criteria')
    const mapped = mapTarget(focus ?? target, place, unmapped, 'trace')
    return mapped && { kind: 'llm', criteria: text.trim(), target: mapped }
  },
  baseline({ values: { criteria, baseline_file: path = '' }, body, place, folder }) {
    const file = findCaseFile(path, place.at('baseline_file'), folder)
    if (file === undefined) return undefined
    const text = (criteria ?? body).trim()
    return { kind: 'baseline', criteria: text, reference: readFileSync(file, 'utf8') }
  },
}

// eslint-disable-next-line max-params -- the value, its place, the notes and the default
function mapTarget(
  target: GraderTarget | 'unmapped' | undefined,
  place: Place,
  unmapped: UnmappedParts,
  fallback: 'last_message' | 'trace' = 'last_message',
): GraderTarget | undefined {
  if (target !== 'unmapped') return target ?? { source: fallback }
  unmapped.add(place, 'Calls of mocks are not recorded; the grader is left out')
  return undefined
}
