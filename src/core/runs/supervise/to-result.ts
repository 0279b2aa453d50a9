import type { Plain } from '../../skills/manifest/manifest.ts'
import type { BlobInfo } from '../../storage/blob-store.ts'
import type { ActiveRun } from '../active-run.ts'
import type { FunctionJob } from '../job.ts'
import type { BlobReceiver } from '../protocol/blob-receiver.ts'
import type { Redactor } from '../redaction/redact.ts'
import type { RunError, RunResult } from '../result.ts'
import type { FunctionOutcome } from './function-outcome.ts'
import type { Logs } from './logs.ts'

const MAX_OUTPUT = 4096
const MAX_SUMMARY = 500

/** What a result is made of, besides the outcome. */
export interface FinishedRun extends ActiveRun<FunctionJob> {
  logs: Logs
  receiver: BlobReceiver
  /** By the clock that never jumps. */
  begunAt: number
}

const LOST: FunctionOutcome = {
  kind: 'failed',
  error: { type: 'SandboxError', message: 'The result did not arrive whole' },
}

/** What the caller gets, redacted; called when every process of the run is dead. */
export async function toResult(
  run: FinishedRun,
  outcome: FunctionOutcome,
  isolation: RunResult['isolation'],
): Promise<{ result: RunResult; blobs: readonly BlobInfo[] }> {
  const { redactor, receiver, call } = run
  const isLost = outcome.kind === 'stored' && receiver.sizeOf(outcome.blobId) === undefined
  const judged = isLost ? LOST : outcome
  const body =
    judged.kind === 'failed' ? failure(judged.error, redactor) : await success(run, judged)
  // What a failed run wrote before is whole as well, and may be what explains the failure.
  const blobs = await receiver.commit()
  for (const blob of blobs) call.onEvent?.({ type: 'blob', blob })
  const result: RunResult = {
    run_id: run.id,
    ...body,
    output_blobs: blobs.map(({ id }) => id),
    logs_preview: run.logs.preview(),
    isolation,
    duration_ms: Math.round(performance.now() - run.begunAt),
  }
  return { result, blobs }
}

async function success(run: FinishedRun, outcome: Exclude<FunctionOutcome, { kind: 'failed' }>) {
  const summary = shorten(run.redactor.cutText(outcome.summary ?? `${nameOf(run)} ran to its end`))
  const output = await outputOf(run, outcome)
  return { status: 'completed' as const, summary, output }
}

/** Small values as they are, larger ones as a reference to a blob that holds them. */
async function outputOf(
  { receiver, redactor }: FinishedRun,
  outcome: Exclude<FunctionOutcome, { kind: 'failed' }>,
): Promise<Plain> {
  if (outcome.kind === 'stored') {
    return reference(outcome.blobId, receiver.sizeOf(outcome.blobId) ?? 0)
  }
  const output = redactor.value(outcome.output)
  const bytes = Buffer.from(JSON.stringify(output))
  if (bytes.length <= MAX_OUTPUT) return output
  return reference(await receiver.put(bytes), bytes.length)
}

function reference(id: string, size: number): Plain {
  return { truncated: true, blob_id: id, size_bytes: size }
}

function nameOf({ job: { target } }: FinishedRun): string {
  return target.kind === 'skill' ? target.skill.manifest.name : 'The code'
}

function failure(error: RunError, redactor: Redactor) {
  const { type, message, traceback, hint } = error
  const clean: RunError = {
    ...error,
    type: redactor.cutText(type),
    message: redactor.cutText(message),
    ...(traceback === undefined ? {} : { traceback: redactor.cutText(traceback) }),
    ...(hint === undefined ? {} : { hint: redactor.text(hint) }),
  }
  const summary = shorten(clean.message === '' ? clean.type : `${clean.type}: ${clean.message}`)
  return { status: 'failed' as const, summary, error: clean }
}

function shorten(text: string): string {
  const characters = [...text]
  if (characters.length <= MAX_SUMMARY) return text
  return `${characters.slice(0, MAX_SUMMARY - 1).join('')}…`
}
