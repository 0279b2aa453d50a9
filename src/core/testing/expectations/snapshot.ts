import type { PlainObject } from '../../skills/manifest/manifest.ts'
import {
  choiceField,
  filledTableField,
  flagField,
  isTable,
  nameField,
  oneOrMoreField,
  spellValue,
  type Field,
} from '../document/field.ts'
import { SNAPSHOT_NAME } from '../snapshots/snapshot-names.ts'
import { REPLACERS, type ReplacerName } from '../snapshots/normalizers.ts'
import type { SnapshotRequest } from '../snapshots/snapshot-request.ts'
import {
  formatFileSnapshot,
  formatFilesSnapshot,
  formatJsonSnapshot,
  SNAPSHOT_PARTS,
  type TextNormalizer,
} from '../snapshots/snapshot-text.ts'
import type { CaseRecord } from './case-record.ts'
import { formatTranscript } from './conversation/record.ts'
import { defineExpectation, type Judgement } from './expectation.ts'
import { pathField } from './result.ts'
import { readValuePath } from './value-path.ts'

const REPLACER_NAMES = Object.keys(REPLACERS) as ReplacerName[]

const snapshotNameField: Field<string> = {
  description: 'Name of the snapshot file (default: the name of the case)',
  schema: { type: 'string', pattern: SNAPSHOT_NAME.source },
  read: (value, place) =>
    typeof value === 'string' && SNAPSHOT_NAME.test(value)
      ? value
      : place.refuse(
          `Expected a name of letters, digits, dots, hyphens and underscores, got ${spellValue(value)}`,
        ),
}

const partField = choiceField('The part of the record', SNAPSHOT_PARTS)

const FIELDS = {
  of: partField,
  file: nameField('Path of one file below the workspace, instead of a part of the record'),
  path: pathField,
  name: snapshotNameField,
  replace: oneOrMoreField(
    `Values that differ from run to run: ${REPLACER_NAMES.map((name) => `${name} (${REPLACERS[name].summary})`).join(', ')}`,
    choiceField('Kind of value', REPLACER_NAMES),
  ),
  exact: flagField('True to replace nothing: colours, line ends and temporary paths stay'),
}

const tableField = filledTableField('A part of the record, or a file', FIELDS)

const snapshotField: Field<SnapshotRequest> = {
  description: 'The part of the record',
  schema: { anyOf: [partField.schema, tableField.schema] } satisfies PlainObject,
  read(value, place) {
    if (!isTable(value)) {
      const of = partField.read(value, place)
      return (
        of && { of, file: undefined, path: undefined, name: undefined, replace: [], isExact: false }
      )
    }
    const values = tableField.read(value, place)
    if (!values) return undefined
    const { of, file, path, name, replace = [], exact = false } = values
    if ((of === undefined) === (file === undefined)) {
      return place.refuse('Expected either "of" or "file"', {
        help: 'Write { snapshot = { of = "stdout" } } or { snapshot = { file = "out/report.md" } }',
      })
    }
    if (path && of !== 'result') {
      return place.at('path').refuse('The key "path" belongs to { of = "result" }', { what: 'key' })
    }
    if (exact && replace.length > 0) {
      return place.at('replace').refuse('An exact snapshot replaces nothing', { what: 'key' })
    }
    return { of: of ?? 'file', file, path, name, replace, isExact: exact }
  },
}

export const SNAPSHOT = defineExpectation<SnapshotRequest>({
  name: 'snapshot',
  summary: 'A part of the record as it was when a person accepted it',
  example: '{ snapshot = "result" }',
  field: snapshotField,
  cannotNegate: true,
  findMismatch: ({ of }, { kind }) => {
    const isConversation = kind === 'conversation'
    if (of === 'transcript' && !isConversation) {
      return 'The part "transcript" belongs to a case with "conversation"'
    }
    const isForeign = isConversation && ['result', 'stdout', 'stderr'].includes(of)
    return isForeign ? `A conversation has no part "${of}"` : undefined
  },
  needs: ({ of }) => (of === 'files' || of === 'file' ? ['workspace'] : []),
  async judge(request, record, { snapshots }) {
    const text = createSnapshotText(request, record, snapshots.selectNormalizer(request))
    return typeof text === 'string' ? await snapshots.judge(request, text) : text
  },
})

/** Returns the text to compare, or the judgement if the record has no such part. */
function createSnapshotText(
  request: SnapshotRequest,
  record: CaseRecord,
  normalize: TextNormalizer,
): string | Judgement {
  const { of } = request
  const text = WRITERS[of](record, request, normalize)
  if (text !== undefined) return text
  const { error, status } = record
  const got = error ? `${error.type}: ${error.message}` : `the status "${status}"`
  const expected = of === 'file' ? `the file "${request.file}"` : `the ${of} of the run`
  return { isMet: false, expected, got }
}

type SnapshotWriter = (
  record: CaseRecord,
  request: SnapshotRequest,
  normalize: TextNormalizer,
) => string | undefined

function createStreamWriter(name: 'stdout' | 'stderr' | 'logs'): SnapshotWriter {
  return (record, _, normalize) =>
    record.status === 'refused' ? undefined : normalize(record[name])
}

/** Writers of texts; they return undefined if the record has no such part. */
const WRITERS: Record<SnapshotRequest['of'], SnapshotWriter> = {
  result({ result }, { path = [] }, normalize) {
    const value = result === undefined ? undefined : readValuePath(result, path)
    return value === undefined ? undefined : formatJsonSnapshot(value, normalize)
  },
  error: ({ error }, _, normalize) => error && normalize(`${error.type}: ${error.message}\n`),
  stdout: createStreamWriter('stdout'),
  stderr: createStreamWriter('stderr'),
  logs: createStreamWriter('logs'),
  files: ({ files }, _, normalize) =>
    files.isKnown ? formatFilesSnapshot(files, normalize) : undefined,
  transcript: ({ conversation }, _, normalize) =>
    conversation && normalize(formatTranscript(conversation)),
  file({ files }, { file = '' }, normalize) {
    const bytes = files.read(file)
    return bytes && formatFileSnapshot(bytes, normalize)
  },
}
