import { SkillsError, toSkillsError } from '../../../errors.ts'
import { isRunId } from '../../runs/history/run-id.ts'
import type { RecordedOutput, RecordedStream, RunStore } from '../../runs/history/run-store.ts'
import { outputDamagedError, outputForeignError, outputNotFoundError } from './handle.ts'
import { countLineEnds } from '../query/line-ends.ts'
import type { OpenOutput, OutputReader, OutputStore, ReadableStream } from './output-store.ts'

/** Stores that hold outputs of runs. */
export interface OutputSources {
  outputs(): Promise<OutputStore>
  runs(): Promise<RunStore>
}

/**
 * Opens a run's output by its handle or by the run's id: from the output store, or from the run's
 * record. Throws `output/not-found`, `output/expired`, `output/foreign` and `output/damaged`.
 */
export async function openOutput(
  sources: OutputSources,
  handleOrRun: string,
  reader: OutputReader,
): Promise<OpenOutput> {
  try {
    return await (await sources.outputs()).read(handleOrRun, reader)
  } catch (error) {
    const { code } = toSkillsError(error)
    const isGone = code === 'output/not-found' || code === 'output/expired'
    if (!isGone || !isRunId(handleOrRun)) throw error
    const recorded = await readRecord(sources, handleOrRun)
    authorizeRecordReader(recorded, reader)
    if (!isComplete(recorded))
      throw code === 'output/expired' ? error : outputNotKeptError(handleOrRun)
    return toOpenOutput(recorded)
  }
}

async function readRecord(sources: OutputSources, id: string): Promise<RecordedOutput> {
  try {
    return await (await sources.runs()).output(id)
  } catch (error) {
    throw toSkillsError(error).code === 'run/not-found' ? outputNotFoundError(id, error) : error
  }
}

/** Runs of the command line and of the library belong to the local user. */
function authorizeRecordReader(
  { record: { run_id: id, who: principal, request } }: RecordedOutput,
  { caller, repo }: OutputReader,
): void {
  const isLocal = principal.door === 'cli' || principal.door === 'library'
  const isOwner = caller === undefined || (!isLocal && principal.caller === caller)
  const repository = request.program && request.args['repository']
  if (!isOwner || (repo !== undefined && repo !== repository)) throw outputForeignError(id)
}

/** A record holds all output of skill code, and all output of a program that printed little. */
function isComplete({ record, stdout, stderr }: RecordedOutput): boolean {
  const { size_bytes: size, kept_bytes: kept } = record.logs
  const printed = stdout.bytes + stderr.bytes
  if (record.kind === 'execute' || record.kind === 'workspace') return printed > 0 && kept === size
  // A record without output is incomplete if the run was killed, or if the record predates its log
  // index.
  return printed > 0 || record.status !== 'interrupted'
}

function outputNotKeptError(id: string): SkillsError {
  return new SkillsError('output/not-found', `The output of the run "${id}" is not stored`, {
    hint: `Type "skills runs show ${id}" to see its record`,
    data: { artifact_handle: id },
  })
}

function toOpenOutput({ record, stdout, stderr }: RecordedOutput): OpenOutput {
  const { run_id: id, status, exit, started_at: createdAt } = record
  return {
    handle: id,
    repo: null,
    language: null,
    about: {
      runId: id,
      status,
      exitCode: exit?.code ?? null,
      signal: exit?.signal === undefined || exit.signal === null ? null : String(exit.signal),
      createdAt,
      expiresAt: null,
      sha256: null,
    },
    streams: { stdout: toReadableStream(id, stdout), stderr: toReadableStream(id, stderr) },
    close: async () => {},
  }
}

/** Makes a stream of a record readable; `id` names it in errors. */
export function toReadableStream(id: string, stream: RecordedStream): ReadableStream {
  const { bytes, lineEnds } = stream
  return {
    bytes,
    lines: bytes === 0 ? 0 : lineEnds + 1,
    async read(_, take) {
      let before = 0
      try {
        await stream.read((block) => {
          const ends = countLineEnds(block)
          const isWanted = take({ bytes: block, lineEndsBefore: before, lineEnds: ends })
          before += ends
          return isWanted
        })
      } catch (error) {
        throw error instanceof SkillsError ? error : outputDamagedError(id, error)
      }
    },
  }
}
