import { toPrintable } from '../../../util/printable.ts'
import { RunningHash } from '../../../util/running-hash.ts'
import type { OutputWriter } from '../../outputs/store/output-store.ts'
import type { SandboxProcess } from '../../sandbox/backend.ts'
import type { Services } from '../../services.ts'
import type { ActiveRun, BlobFiles, EndedRun } from '../active-run.ts'
import { toAuditedOutcome } from '../conclude-run.ts'
import { describeMount } from './describe-mount.ts'
import type { ProgramControls, ProgramJob, ProgramOutcome } from '../job.ts'
import type { RunResult } from '../result.ts'
import { KILL_GRACE_MS } from '../run-limits.ts'
import {
  startSandbox,
  type ProgramGuest,
  type StartedSandbox,
  type StartServices,
} from '../start-sandbox.ts'
import { followProgram, type ProgramEnd } from './follow-program.ts'
import { resolveProgramOutcome } from './program-outcome.ts'

/** Services of a program; without outputs, none is stored. */
type SuperviseServices = StartServices & Partial<Pick<Services, 'outputs' | 'sharedSandboxes'>>

interface ProgramRun extends ActiveRun<ProgramJob> {
  /** Undefined if its output is not stored. */
  output: OutputWriter | undefined
  /** Digests of its output, stored or not. */
  digests: Readonly<Record<'stdout' | 'stderr', RunningHash>>
  /** Monotonic clock, in milliseconds. */
  startedAtMs: number
}

/** Runs a program in a fresh sandbox. Every end is an outcome, including cancellation. */
export async function superviseProgram(
  services: SuperviseServices,
  active: ActiveRun<ProgramJob>,
  files: BlobFiles,
): Promise<EndedRun<ProgramOutcome>> {
  const output = await openOutput(services, active)
  const digests = { stdout: new RunningHash(), stderr: new RunningHash() }
  const run: ProgramRun = { ...active, output, digests, startedAtMs: performance.now() }
  try {
    const outcome = await runProgram(services, run, files)
    const finished = {
      ...outcome,
      digests: { stdout: formatDigest(digests.stdout), stderr: formatDigest(digests.stderr) },
    }
    return {
      value: finishOutput(output, finished),
      result: outcome.status === 'cancelled' ? undefined : toRunResult(outcome),
      blobs: [],
      digests: finished.digests,
      audited: toAuditedOutcome(outcome),
    }
  } catch (error) {
    await output?.abort()
    throw error
  }
}

/** The outcome of a program that was cancelled before it started. */
export function describeCancelledStart(runId: string): ProgramOutcome {
  return {
    runId,
    status: 'cancelled',
    exitCode: null,
    signal: null,
    durationMs: 0,
    isolation: null,
    stdoutBytes: 0,
    stderrBytes: 0,
    truncated: false,
  }
}

/** Finishes the stored output while the record is synced to disk. */
async function finishOutput(
  output: OutputWriter | undefined,
  outcome: ProgramOutcome,
): Promise<ProgramOutcome> {
  return { ...outcome, output: await output?.finish(outcome) }
}

function formatDigest(hash: RunningHash): string {
  return `sha256:${hash.hex()}`
}

async function openOutput(
  services: SuperviseServices,
  { id, job, call }: ActiveRun<ProgramJob>,
): Promise<OutputWriter | undefined> {
  if (job.keepsOutput === false || !services.outputs) return undefined
  const { repo, language } = job
  return (await services.outputs()).open({ runId: id, owner: call.caller?.name, repo, language })
}

async function runProgram(
  services: SuperviseServices,
  run: ProgramRun,
  blobs: BlobFiles,
): Promise<ProgramOutcome> {
  const { job, permissions, trace, redactor, call, report } = run
  for (const each of permissions.notes) job.onNote?.(redactor.text(each))
  const started = await startProgram(services, run, blobs)
  try {
    const { sandbox } = started
    writeInput(sandbox, job)
    trace.isolation = sandbox.isolation
    report('running')
    const received = { bytes: 0 }
    trace.countOutputBytes = () => received.bytes
    job.onStarted?.(createControls(run.id, started, received))
    const { wallMs, outputBytes } = permissions.limits
    const end = await followProgram(sandbox, {
      wallMs,
      outputBytes,
      // An interactive shell ignores SIGTERM.
      graceMs: job.program.terminal ? 0 : KILL_GRACE_MS,
      dropsOutput: job.dropsOutput === true,
      redactor,
      received,
      signal: call.signal,
      onChunk: createOutputHandler(run),
    })
    report('collecting')
    trace.exit = end.exit
    return describeOutcome(run, end, sandbox.isolation)
  } finally {
    started.closeNetwork()
  }
}

/** Starts the program in a fresh sandbox, or in the one that its session shares. */
async function startProgram(
  services: SuperviseServices,
  run: ProgramRun,
  blobs: BlobFiles,
): Promise<StartedSandbox> {
  const note = createNoteWriter(run)
  const { sharedSandboxes } = services
  if (run.job.shared && sharedSandboxes) {
    const { enterSharedSandbox, selectSharedSandbox } =
      await import('../shared-sandbox/enter-shared-sandbox.ts')
    const shared = selectSharedSandbox(run)
    if (shared) {
      const describe = async () => await describeGuest(run, {})
      const all = { ...services, sharedSandboxes }
      return await enterSharedSandbox(all, { run, shared, note, describeGuest: describe })
    }
  }
  return await startSandbox(services, {
    run,
    blobs,
    note,
    describeGuest: async (_backend, network) => await describeGuest(run, network),
  })
}

/** Describes the guest. The command line finds the packages that its skills pinned. */
async function describeGuest(
  { job, permissions, call }: ProgramRun,
  network: Readonly<Record<string, string>>,
): Promise<ProgramGuest> {
  const { program, tools = [] } = job
  const { dependencies, environment, secrets } = permissions
  let { env } = program
  if (dependencies) {
    const { buildDependencyEnv } = await import('../../skills/dependencies/run-dependencies.ts')
    env = buildDependencyEnv(dependencies, env)
  }
  return {
    guest: {
      kind: 'program',
      program: {
        ...program,
        // Variables of the application take precedence over those of a model.
        env: { ...environment, ...env, ...call.grants?.environment, ...network, ...secrets },
        stdin: job.stdin === 'none' ? 'none' : 'pipe',
      },
    },
    skills: job.mountsSkills ? job.skills.map(describeMount) : [],
    folders: job.folders,
    workspace: job.workspace,
    code: job.code,
    tools: [...tools, ...(dependencies?.tools ?? [])],
    nodePackages: dependencies?.nodePackages,
    toolchains: job.toolchains,
  }
}

/** Input that the program does not read is discarded. */
function writeInput({ stdin }: SandboxProcess, job: ProgramJob): void {
  if (typeof job.stdin === 'string') return
  if (job.program.terminal) stdin?.write(job.stdin)
  else stdin?.end(job.stdin)
}

function describeOutcome(
  { id, job, permissions, redactor, trace, startedAtMs: begunAt }: ProgramRun,
  { exit, ...streams }: ProgramEnd,
  isolation: ProgramOutcome['isolation'],
): ProgramOutcome {
  const { error, ...exitOutcome } = resolveProgramOutcome(
    exit,
    permissions.limits,
    job.program.argv,
  )
  const message = error && redactor.cutText(error.message)
  return {
    runId: id,
    ...exitOutcome,
    durationMs: Math.round(performance.now() - begunAt),
    isolation,
    ...(trace.countNetworkBytes && { networkBytes: trace.countNetworkBytes() }),
    ...(exit.kept && { kept: exit.kept }),
    ...(error && { error: { ...error, message: message ?? '' } }),
    ...streams,
    redactions: { ...redactor.counts },
  }
}

/** Passes output to the job's sinks, the record, the store and the events. */
function createOutputHandler({ job, call, log, output, digests }: ProgramRun) {
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  return async (stream: 'stdout' | 'stderr', chunk: Buffer): Promise<void> => {
    const text = decoders[stream].decode(chunk, { stream: true })
    if (output) log(chunk, stream)
    if (text !== '') call.onEvent?.({ type: 'log', stream, text })
    digests[stream].update(chunk)
    await output?.[stream].write(chunk)
    await job.sinks[stream](chunk)
  }
}

function createNoteWriter({ redactor, log, call }: ProgramRun) {
  return (text: string): void => {
    const line = `[skills] ${toPrintable(redactor.text(text))}\n`
    log(line)
    call.onEvent?.({ type: 'log', stream: 'runtime', text: line })
  }
}

function createControls(
  runId: string,
  { sandbox }: StartedSandbox,
  received: { bytes: number },
): ProgramControls {
  return {
    runId,
    isolation: sandbox.isolation,
    stdin: sandbox.stdin,
    resize: (columns, rows) => sandbox.resize?.(columns, rows),
    isWaiting: async () => {
      const printed = (await sandbox.waitsAfter?.()) ?? null
      // Output from before the wait must be received first.
      return printed !== null && received.bytes >= printed
    },
    signal: (name) => sandbox.signal?.(name),
  }
}

/** Converts an outcome for the run record. */
function toRunResult(outcome: ProgramOutcome): RunResult {
  const { exitCode, signal, error, networkBytes } = outcome
  const cause = signal === null ? `exit code ${exitCode ?? 'unknown'}` : `signal ${signal}`
  return {
    status: outcome.status === 'success' ? 'completed' : 'failed',
    run_id: outcome.runId,
    summary: error ? `${error.type}: ${error.message}` : `The program ended with ${cause}`,
    output_blobs: [],
    logs_preview: '',
    ...(error && { error }),
    isolation: outcome.isolation,
    duration_ms: outcome.durationMs,
    ...(networkBytes !== undefined && { network_bytes: networkBytes }),
  }
}
