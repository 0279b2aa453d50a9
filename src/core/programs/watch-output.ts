import type { StreamName } from '../outputs/store/output-store.ts'
import { createOutputView } from '../outputs/view/create-output-view.ts'
import type { OutputViewResult } from '../outputs/view/output-view.ts'
import type { ProgramSinks } from '../runs/job.ts'
import type { RunCall } from '../runs/run-call.ts'
import type { ExecuteParams } from '../methods/runtime-execute/definition.ts'
import { DEFAULT_CONTEXT_LINES, DEFAULT_RESPONSE_LINES } from './execute-bounds.ts'
import { REPOSITORY, type Execution } from './execution.ts'

/** Collects the output of one phase for the answer. */
export interface WatchedOutput {
  sinks: ProgramSinks
  end(outcome: { exitCode: number | null }): EndedOutput
}

export interface EndedOutput {
  shown: OutputViewResult
  /** The end of both streams. */
  outputTail: string
}

const EMPTY: Buffer = Buffer.alloc(0)
const TAIL_BYTES = 8192

/** Characters of each argument by which a digest parser is chosen. */
const MAX_WORD_CHARS = 1000

/** Starts collecting the output of one phase. */
export function watchOutput(execution: Execution, onEvent: RunCall['onEvent']): WatchedOutput {
  const view = createOutputView(buildViewOptions(execution))
  const last: Record<StreamName, Buffer> = { stdout: EMPTY, stderr: EMPTY }
  const take = (stream: 'stdout' | 'stderr') => async (chunk: Buffer) => {
    last[stream] = appendTail(last[stream], chunk)
    view.push(stream, chunk)
    await onEvent?.({ type: 'output', stream, chunk })
  }
  return {
    sinks: { stdout: take('stdout'), stderr: take('stderr') },
    end: (outcome) => ({
      shown: view.end(outcome),
      outputTail: `${last.stdout.toString()}\n${last.stderr.toString()}`,
    }),
  }
}

/** Appends to the tail of a stream. Copies the bytes, so that a large chunk is not retained. */
function appendTail(before: Buffer, chunk: Buffer): Buffer {
  const all =
    chunk.length < TAIL_BYTES
      ? Buffer.concat([before, chunk])
      : Buffer.from(chunk.subarray(-TAIL_BYTES))
  return all.subarray(-TAIL_BYTES)
}

function buildViewOptions(execution: Execution): Parameters<typeof createOutputView>[0] {
  const { params, location } = execution
  return {
    mode: params.outputMode ?? 'minimal',
    maxLines: params.maxResponseLines ?? DEFAULT_RESPONSE_LINES,
    queryTerms: params.queryTerms ?? [],
    contextLines: params.contextLines ?? DEFAULT_CONTEXT_LINES,
    command: describeCommandLine(params, execution),
    root: location.repository ? REPOSITORY : undefined,
  }
}

/** Builds the command line by which the digest parser is chosen. */
function describeCommandLine(
  { args = [], code = '' }: ExecuteParams,
  { resolved }: Execution,
): string {
  const [firstLine = ''] = code.trimStart().split('\n', 1)
  const words = [...args, firstLine].map((each) => each.slice(0, MAX_WORD_CHARS))
  return [resolved.candidate.program, ...words].join(' ')
}
