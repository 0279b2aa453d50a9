import { stripColors } from '../../../util/strip-colors.ts'
import type { Plain } from '../../skills/manifest/manifest.ts'
import type { BlobInfo } from '../../storage/blob-store.ts'
import type { ActiveRun } from '../active-run.ts'
import type { FunctionJob } from '../job.ts'
import type { BlobReceiver } from '../protocol/blob-receiver.ts'
import type { Redactor } from '../redaction/redact.ts'
import type { EndedRunResult, KernelReport, RunError } from '../result.ts'
import type { FunctionOutcome } from './function-outcome.ts'
import type { RunLogs } from './logs.ts'
import type { RunProgress } from './progress.ts'

const MAX_INLINE_BYTES = 4096
const MAX_SUMMARY = 500

/** Input of a result, besides the outcome. */
export interface FinishedRun extends ActiveRun<FunctionJob> {
  logs: RunLogs
  receiver: BlobReceiver
  progress: RunProgress
  /** Monotonic clock, in milliseconds. */
  startedAtMs: number
  /** Describes the kernel of a cell. */
  describeKernel?: (() => KernelReport) | undefined
}

const LOST_RESULT: FunctionOutcome = {
  kind: 'failed',
  error: { type: 'SandboxError', message: 'The result is incomplete' },
}

/** Builds the redacted result for the caller. Call when all processes of the run are dead. */
export async function buildRunResult(
  run: FinishedRun,
  outcome: FunctionOutcome,
  isolation: EndedRunResult['isolation'],
): Promise<{ result: EndedRunResult; blobs: readonly BlobInfo[] }> {
  const { redactor, receiver, call, trace } = run
  const { countNetworkBytes } = trace
  const isLost = outcome.kind === 'stored' && receiver.getSize(outcome.blobId) === undefined
  const final = isLost ? LOST_RESULT : outcome
  const body =
    final.kind === 'failed'
      ? describeFailure(final.error, redactor)
      : await describeSuccess(run, final)
  // Complete blobs of a failed run are not removed: they may explain the failure.
  const blobs = await receiver.commit()
  for (const blob of blobs) call.onEvent?.({ type: 'blob', blob })
  const result: EndedRunResult = {
    run_id: run.id,
    ...body,
    output_blobs: blobs.map(({ id }) => id),
    logs_preview: stripColors(run.logs.preview(run.id)),
    isolation,
    duration_ms: Math.round(performance.now() - run.startedAtMs),
    ...(countNetworkBytes && { network_bytes: countNetworkBytes() }),
    ...(run.describeKernel && { kernel: describeCell(run.describeKernel(), final, redactor) }),
  }
  return { result, blobs }
}

function describeCell(
  kernel: KernelReport,
  outcome: FunctionOutcome,
  redactor: Redactor,
): KernelReport {
  if (outcome.kind === 'failed' || outcome.value === undefined) return kernel
  return { ...kernel, value: stripColors(redactor.cutText(outcome.value)) }
}

async function describeSuccess(
  run: FinishedRun,
  outcome: Exclude<FunctionOutcome, { kind: 'failed' }>,
) {
  const summary = shortenSummary(
    stripColors(run.redactor.cutText(outcome.summary ?? `${formatTargetName(run)} completed`)),
  )
  const output = await storeOutput(run, outcome)
  return { status: 'completed' as const, summary, output }
}

/** Returns a small value itself, and a larger one as a reference to a blob. */
async function storeOutput(
  { receiver, redactor }: FinishedRun,
  outcome: Exclude<FunctionOutcome, { kind: 'failed' }>,
): Promise<Plain> {
  if (outcome.kind === 'stored') {
    return createBlobReference(outcome.blobId, receiver.getSize(outcome.blobId) ?? 0)
  }
  const output = redactor.value(outcome.output)
  const bytes = Buffer.from(JSON.stringify(output))
  if (bytes.length <= MAX_INLINE_BYTES) return output
  return createBlobReference(await receiver.addHostBlob(bytes), bytes.length)
}

function createBlobReference(id: string, size: number): Plain {
  return { truncated: true, blob_id: id, size_bytes: size }
}

function formatTargetName({ job: { target } }: FinishedRun): string {
  return target.kind === 'skill' ? target.skill.manifest.name : 'The code'
}

function describeFailure(error: RunError, redactor: Redactor) {
  const clear = (text: string) => stripColors(redactor.cutText(text))
  const { type, message, traceback, hint } = error
  const clean: RunError = {
    ...error,
    type: redactor.cutText(type),
    message: clear(message),
    ...(traceback === undefined ? {} : { traceback: clear(traceback) }),
    ...(hint === undefined ? {} : { hint: redactor.text(hint) }),
  }
  const summary = shortenSummary(
    clean.message === '' ? clean.type : `${clean.type}: ${clean.message}`,
  )
  return { status: 'failed' as const, summary, error: clean }
}

function shortenSummary(text: string): string {
  const characters = [...text]
  if (characters.length <= MAX_SUMMARY) return text
  return `${characters.slice(0, MAX_SUMMARY - 1).join('')}…`
}
