import { toSkillsError } from '../../errors.ts'
import type { FunctionJob } from '../../core/runs/job.ts'
import { performRun } from '../../core/runs/perform-run.ts'
import type { EndedRunResult } from '../../core/runs/result.ts'
import { EMPTY_RECORD, type CaseRecord } from '../../core/testing/expectations/case-record.ts'
import type { CaseContext } from './case-performer.ts'
import { readBlobs } from './read-blobs.ts'
import { readWorkspace } from './read-workspace.ts'
import { createSetup, listSetupFiles } from './setup.ts'
import { watchRuns } from './watch-runs.ts'
import { createReadStream, readFileSync } from 'node:fs'
import { detectMimeType } from '../../util/mime.ts'
import type { Services } from '../../core/services.ts'
import { writeBlob } from '../../core/storage/write-blob.ts'

/** Runs the function of a case and records what happened. */
export async function recordFunction(
  createJob: (blobs: Readonly<Record<string, string>>) => Promise<FunctionJob>,
  context: CaseContext,
): Promise<CaseRecord> {
  const { services, testCase, call, needs, coverage } = context
  const watched = watchRuns()
  const keepIn = needs.has('workspace') ? context.folder : undefined
  const empty = { ...EMPTY_RECORD, secrets: testCase.secrets }
  let result: EndedRunResult
  try {
    const blobs = await storeBlobs(services, testCase.blobs)
    const setup = createSetup(context, listSetupFiles(testCase))
    result = await performRun(
      services,
      { ...(await createJob(blobs)), ...setup },
      {
        ...call,
        keepIn,
        onEvent: watched.onEvent,
      },
    )
  } catch (thrown) {
    return recordRefusedRun(empty, thrown)
  }
  if (keepIn !== undefined) coverage?.readWorkspace(keepIn)
  return {
    ...empty,
    status: result.status,
    result: result.output,
    error: result.error,
    logs: watched.readLogs(),
    network: watched.network,
    blobs: needs.has('blobs') ? await readBlobs(services, result.output_blobs) : [],
    ...(keepIn !== undefined && readWorkspace(keepIn, testCase)),
    durationMs: result.duration_ms,
    isolation: result.isolation,
  }
}

/** A run that was refused before it started. Interruptions and faults of the host are thrown again. */
export function recordRefusedRun(empty: CaseRecord, thrown: unknown): CaseRecord {
  const error = toSkillsError(thrown)
  if (!REFUSALS.has(error.code)) throw error
  const { code: type, message, hint } = error
  return { ...empty, status: 'refused', error: { type, message, ...(hint && { hint }) } }
}

/** Codes of errors that a case can expect. */
const REFUSALS: ReadonlySet<string> = new Set([
  'params/invalid',
  'policy/denied',
  'skill/not-executable',
  'sandbox/too-weak',
])

/** Stores files as blobs; returns their ids by argument. */
async function storeBlobs(
  { blobs }: Pick<Services, 'blobs'>,
  files: ReadonlyMap<string, string>,
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  if (files.size === 0) return ids
  const store = await blobs()
  for (const [name, file] of files) {
    const kind = detectMimeType(file, readFileSync(file))
    ids[name] = (await writeBlob(store, createReadStream(file), kind)).id
  }
  return ids
}
