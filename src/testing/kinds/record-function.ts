import { toSkillsError } from '../../errors.ts'
import type { ProgramFile } from '../../core/sandbox/backend.ts'
import type { FunctionJob } from '../../core/runs/job.ts'
import { performRun } from '../../core/runs/perform-run.ts'
import type { EndedRunResult } from '../../core/runs/result.ts'
import type { RunEvent } from '../../core/runs/run-call.ts'
import type { NetworkDecision } from '../../core/sandbox/egress/decision.ts'
import { EMPTY_RECORD, type CaseRecord } from '../../core/testing/expectations/case-record.ts'
import type { CaseContext } from './case-performer.ts'
import { readBlobs } from './read-blobs.ts'
import { GUEST_FOLDERS } from '../../core/sandbox/guest-host/guest-job.ts'
import { isText } from '../../util/mime.ts'
import { FAKE_FOLDER } from '../../core/testing/suites/fake-commands.ts'
import type { SetupFile } from '../../core/testing/suites/setup-files.ts'
import { readWorkspace } from './read-workspace.ts'
import { listSetupFiles } from './setup.ts'
import { storeBlobs } from './store-blobs.ts'

/** Runs the function of a case and records what happened. */
export async function recordFunction(
  createJob: (blobs: Readonly<Record<string, string>>) => Promise<FunctionJob>,
  context: CaseContext,
): Promise<CaseRecord> {
  const { services, testCase, call, needs, coverage } = context
  const watched = watchEvents()
  const keepIn = needs.has('workspace') ? context.folder : undefined
  const empty = { ...EMPTY_RECORD, secrets: testCase.secrets }
  let result: EndedRunResult
  try {
    const blobs = await storeBlobs(services, testCase.blobs)
    const job: FunctionJob = {
      ...(await createJob(blobs)),
      fixed: testCase.fixed,
      files: toProgramFiles(listSetupFiles(testCase)),
      ...(testCase.fakes.size > 0 && { path: [`${GUEST_FOLDERS.workspace}/${FAKE_FOLDER}`] }),
      trace: coverage?.trace,
    }
    result = await performRun(services, job, {
      ...call,
      keepIn,
      onEvent: (event) => watched.onEvent(event),
    })
  } catch (thrown) {
    return recordRefusedRun(empty, thrown)
  }
  if (keepIn !== undefined) coverage?.readWorkspace(keepIn)
  return {
    ...empty,
    status: result.status,
    result: result.output,
    error: result.error,
    logs: watched.logs(),
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

/** Files for the guest, which receives them as JSON. */
function toProgramFiles(files: ReadonlyMap<string, SetupFile>): ProgramFile[] {
  return [...files].map(([path, { bytes, isProgram }]) =>
    isText(bytes)
      ? { path, isProgram, text: bytes.toString('utf8') }
      : { path, isProgram, text: bytes.toString('base64'), encoding: 'base64' },
  )
}

function watchEvents() {
  const lines: string[] = []
  const network: NetworkDecision[] = []
  return {
    network,
    logs: () => lines.join(''),
    onEvent(event: RunEvent) {
      if (event.type === 'network') network.push(event.decision)
      if (event.type === 'log' && !isKeptNotice(event.text)) lines.push(event.text)
    },
  }
}

/** The notice about the copy of the workspace, which a case asks for by its expectations. */
function isKeptNotice(text: string): boolean {
  return text.startsWith('[skills] The workspace is kept in ')
}
