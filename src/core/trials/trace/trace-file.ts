import { SkillsError } from '../../../errors.ts'
import {
  EVENT_KINDS,
  PROOF_KINDS,
  type Proof,
  type TraceEvent,
  type TrialReport,
  type TrialResult,
} from '../trial-report.ts'

const FORMAT = 'skills-trials'
const VERSION = 1
/** Longer trace files are refused. */
export const MAX_TRACE_BYTES: number = 64 * 1024 * 1024
const MAX_TRIALS = 5000
const MAX_EVENTS = 2000
const MAX_LIST = 5000
const MAX_TEXT = 4000
const MAX_MARKERS = 200

type TraceFields = Readonly<Record<string, unknown>>

/** Formats a report as the content of a trace file. */
export function formatTraceFile(report: TrialReport): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, ...report })}\n`
}

/**
 * Reads a trace file, which may come from anyone. Only known fields are kept, with the declared types
 * and within limits. `undefined` stands for a file that was too long to be read.
 */
export function readTraceFile(text: string | undefined): TrialReport {
  if (text === undefined || Buffer.byteLength(text) > MAX_TRACE_BYTES)
    throw createTraceError('it is longer than 64 MiB')
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    throw createTraceError('it is not JSON')
  }
  const fields = readTraceObject(data, 'the file')
  if (fields['format'] !== FORMAT) throw createTraceError('it is not a trace of "skills vet --run"')
  if (fields['version'] !== VERSION) throw createTraceError(`its version is not ${VERSION}`)
  return {
    skill: readString(fields, 'skill'),
    subjects: readList(fields, 'subjects', MAX_TRIALS).map(readTrial),
    proofs: readList(fields, 'proofs', MAX_LIST).map(readProof),
    notRun: readList(fields, 'notRun', MAX_LIST).map((each) => {
      const entry = readTraceObject(each, 'notRun')
      return { subject: readString(entry, 'subject'), reason: readString(entry, 'reason') }
    }),
  }
}

function readTrial(value: unknown): TrialResult {
  const fields = readTraceObject(value, 'subjects')
  return {
    subject: readString(fields, 'subject'),
    variant: readString(fields, 'variant'),
    outcome: readString(fields, 'outcome'),
    durationMs: readCount(fields, 'durationMs'),
    trace: readList(fields, 'trace', MAX_EVENTS).map(readEvent),
  }
}

function readEvent(value: unknown): TraceEvent {
  const fields = readTraceObject(value, 'trace')
  const { bytes, excerpt, markers } = fields
  return {
    atMs: readCount(fields, 'atMs'),
    kind: readChoice(fields, EVENT_KINDS),
    detail: readString(fields, 'detail'),
    ...(bytes !== undefined && { bytes: readCount(fields, 'bytes') }),
    ...(excerpt !== undefined && { excerpt: readString(fields, 'excerpt') }),
    ...(markers !== undefined && {
      markers: readList(fields, 'markers', MAX_MARKERS).map((each) =>
        readString({ marker: each }, 'marker'),
      ),
    }),
  }
}

function readProof(value: unknown): Proof {
  const fields = readTraceObject(value, 'proofs')
  const { file, line } = fields
  return {
    kind: readChoice(fields, PROOF_KINDS),
    subject: readString(fields, 'subject'),
    variant: readString(fields, 'variant'),
    message: readString(fields, 'message'),
    event: readEvent(fields['event']),
    ...(file !== undefined && { file: readString(fields, 'file') }),
    ...(line !== undefined && { line: readCount(fields, 'line') }),
    repeat: readString(fields, 'repeat'),
  }
}

function readTraceObject(value: unknown, name: string): TraceFields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as TraceFields
  throw createTraceError(`"${name}" is not an object`)
}

// eslint-disable-next-line max-params -- the object, its field and a limit
function readList(fields: TraceFields, name: string, limit: number): unknown[] {
  const value = fields[name]
  if (!Array.isArray(value)) throw createTraceError(`"${name}" is not a list`)
  if (value.length > limit) throw createTraceError(`"${name}" has more than ${limit} entries`)
  return value
}

function readString(fields: TraceFields, name: string): string {
  const value = fields[name]
  if (typeof value !== 'string') throw createTraceError(`"${name}" is not a string`)
  if (value.length > MAX_TEXT)
    throw createTraceError(`"${name}" is longer than ${MAX_TEXT} characters`)
  return value
}

function readCount(fields: TraceFields, name: string): number {
  const value = fields[name]
  if (Number.isSafeInteger(value) && Number(value) >= 0) return Number(value)
  throw createTraceError(`"${name}" is not a whole number`)
}

function readChoice<Choice extends string>(
  fields: TraceFields,
  choices: readonly Choice[],
): Choice {
  const found = choices.find((each) => each === fields['kind'])
  if (found !== undefined) return found
  throw createTraceError(`"kind" is not one of ${choices.join(', ')}`)
}

function createTraceError(reason: string): SkillsError {
  return new SkillsError('params/invalid', `The trace cannot be read: ${reason}`, {
    hint: 'Write one with: skills vet <source> --run --trace <file>',
  })
}
