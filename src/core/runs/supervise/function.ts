import { resolveStoreLimits } from '../../storage/store-limits.ts'
import { cancelledError, SkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'
import { takeRandomBytes } from '../../../util/random-bytes.ts'
import { runInSlices } from '../../../util/slices/run-in-slices.ts'
import { RunningHash } from '../../../util/running-hash.ts'
import { listProjectFolders } from '../../languages/project-folders.ts'
import type { Backend, SandboxExit } from '../../sandbox/backend.ts'
import type { Services } from '../../services.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { ActiveRun, BlobFiles, EndedRun } from '../active-run.ts'
import { ADAPTER } from '../../adopting/adapter.ts'
import { describeMount } from './describe-mount.ts'
import { resolveTargetLanguage, type FunctionJob } from '../job.ts'
import { BlobReceiver } from '../protocol/blob-receiver.ts'
import { KEY_BYTES } from '../protocol/frames.ts'
import { buildGuestJob, buildKernelJob, type RunKeys } from '../protocol/guest-job.ts'
import type { EndedRunResult, KernelReport } from '../result.ts'
import {
  startSandbox,
  type GuestRequest,
  type StartedSandbox,
  type StartServices,
} from '../start-sandbox.ts'
import type { InspectorRelay } from '../debug/inspector-relay.ts'
import type { ActionProgram } from './action-program.ts'
import { checkInputs } from './check-inputs.ts'
import { followFunction } from './follow-function.ts'
import { findNetworkHint } from './network-hint.ts'
import { resolveFunctionOutcome, type FunctionOutcome } from './function-outcome.ts'
import { RunLogs } from './logs.ts'
import { RunProgress } from './progress.ts'
import { buildRunResult, type FinishedRun } from './build-run-result.ts'

const MAX_UNREADABLE_SHOWN = 5

type FunctionServices = StartServices & Pick<Services, 'blobs' | 'kernels'>

/** State of one function run. */
interface FunctionRun extends FinishedRun {
  keys: RunKeys
}

/**
 * Calls a function in a fresh sandbox. Code that fails is a result; a run that cannot start throws.
 */
export async function superviseFunction(
  services: FunctionServices,
  active: ActiveRun<FunctionJob>,
  files: BlobFiles,
): Promise<EndedRun<EndedRunResult>> {
  const outputHash = new RunningHash()
  const run = await openFunctionRun(services, active, outputHash)
  try {
    const { outcome, isolation, describeKernel } = await callFunction(services, run, files)
    const finished = { ...run, describeKernel }
    const { result, blobs } = await buildRunResult(finished, outcome, isolation)
    return { value: result, result, blobs, digests: { logs: `sha256:${outputHash.hex()}` } }
  } finally {
    await run.receiver.abort()
  }
}

async function openFunctionRun(
  { blobs, config }: FunctionServices,
  active: ActiveRun<FunctionJob>,
  outputHash: RunningHash,
): Promise<FunctionRun> {
  const { redactor, call, log } = active
  const { onEvent } = call
  const keys = { channel: takeRandomBytes(KEY_BYTES), blobs: takeRandomBytes(KEY_BYTES) }
  const store = await blobs()
  const maxBytes = resolveStoreLimits(config).blobs.runBytes
  return {
    ...active,
    keys,
    logs: new RunLogs(redactor, {
      onPiece: onEvent && ((piece) => onEvent({ type: 'log', ...piece })),
      onBytes: (source, bytes) => {
        log(bytes, source)
        outputHash.update(bytes)
      },
    }),
    progress: new RunProgress({
      redactor,
      onProgress: onEvent && ((report) => onEvent({ type: 'progress', ...report })),
    }),
    receiver: new BlobReceiver({ store, redactor, maxBytes, secret: keys.blobs }),
    startedAtMs: performance.now(),
  }
}

interface StartedFunction extends StartedSandbox {
  closeInspector: () => void
  describeKernel?: () => KernelReport
}

interface CalledFunction {
  outcome: FunctionOutcome
  /** Null if nothing was started. */
  isolation: EndedRunResult['isolation']
  describeKernel?: (() => KernelReport) | undefined
}

async function callFunction(
  services: FunctionServices,
  run: FunctionRun,
  files: BlobFiles,
): Promise<CalledFunction> {
  const { target, inputBlobs, args: passedArgs = {} } = run.job
  const manifest = target.kind === 'skill' ? target.skill.manifest : { inputs: {} }
  const { args, problem } = await runInSlices(checkInputs(manifest, passedArgs, inputBlobs))
  // Statements can use the skill without its inputs.
  const isRepl = run.call.interactive?.mode === 'repl'
  if (problem && !(isRepl && Object.keys(passedArgs).length === 0)) {
    const error = { type: 'ValidationError', ...problem }
    return { outcome: { kind: 'failed', error }, isolation: null }
  }
  const started = await startFunction(services, run, { args, files })
  try {
    connectUser(run, started)
    const { sandbox, describeKernel } = started
    return { outcome: await followCall(run, started), isolation: sandbox.isolation, describeKernel }
  } finally {
    started.closeNetwork()
    started.closeInspector()
  }
}

function connectUser({ call }: FunctionRun, { sandbox }: StartedSandbox): void {
  if (!sandbox.stdin) return
  call.interactive?.onStarted({
    stdin: sandbox.stdin,
    resize: (columns, rows) => sandbox.resize?.(columns, rows),
  })
}

async function followCall(run: FunctionRun, { sandbox }: StartedSandbox): Promise<FunctionOutcome> {
  const { isolation } = sandbox
  run.trace.isolation = isolation
  run.report('running')
  const { harnessResult, channelError } = await followFunction(run, sandbox)
  run.report('collecting')
  const exit = await sandbox.exited
  run.trace.exit = exit
  if (exit.endedBecause === 'cancelled') {
    throw cancelledError()
  }
  if (channelError instanceof SkillsError) throw channelError
  noteKeptWorkspace(run, exit.kept)
  const { limits } = run.permissions
  const language = resolveTargetLanguage(run.job.target)
  const end = { exit, harnessResult, channelError, limits, language, isolation }
  return explainNetworkFailure(run, resolveFunctionOutcome(end))
}

function explainNetworkFailure(run: FunctionRun, outcome: FunctionOutcome): FunctionOutcome {
  if (outcome.kind !== 'failed') return outcome
  const { job, permissions, trace } = run
  const hint = findNetworkHint(outcome.error, {
    kind: job.kind,
    skills: permissions.skills,
    isOpen: permissions.network !== undefined,
    decisions: trace.network ?? [],
  })
  return hint === undefined ? outcome : { ...outcome, error: { ...outcome.error, hint } }
}

async function startFunction(
  services: FunctionServices,
  run: FunctionRun,
  { args, files }: { args: PlainObject; files: BlobFiles },
): Promise<StartedFunction> {
  const { logs } = run
  const { kernel: use } = run.job
  if (use) {
    const { enterKernel } = await import('../kernels/enter-kernel.ts')
    const cell = await enterKernel(services, {
      run,
      use,
      note: (text) => logs.addNote(text),
      args: run.job.args,
      describeGuest: async (network, backend) =>
        await describeGuest(services, run, { args, network, backend, relay: undefined }),
    })
    return { ...cell, closeInspector: () => {} }
  }
  const relay = await openInspector(services)
  const closeInspector = () => relay?.close()
  try {
    const started = await startSandbox(services, {
      run,
      blobs: files,
      note: (text) => logs.addNote(text),
      describeGuest: async (backend, network) =>
        await describeGuest(services, run, { args, network, backend, relay }),
    })
    return { ...started, closeInspector }
  } catch (error) {
    closeInspector()
    throw error
  }
}

interface GuestParts {
  args: PlainObject
  network: Readonly<Record<string, string>>
  backend: Backend
  relay: InspectorRelay | undefined
}

/** Describes the harness with the program that runs the function, and the user's connection. */
async function describeGuest(
  services: FunctionServices,
  run: FunctionRun,
  { args, network, backend, relay }: GuestParts,
): Promise<GuestRequest> {
  const { job, permissions, keys, call } = run
  const { interactive } = call
  const onHost = backend.name === 'process'
  const program = await resolveActionProgram(services, run, onHost)
  const typescript = await findScriptSupport(run, onHost)
  const terminal = interactive?.terminal
  const type = terminal && { TERM: terminal.type }
  const { environment: home, ...mounts } = describeSession(job)
  const environment = {
    ...home,
    ...typescript?.environment,
    ...permissions.environment,
    ...network,
    ...type,
  }
  const inspector = relay?.connect(backend.guarantees.isolates.network)
  const tools = [program, typescript, permissions.dependencies, inspector].flatMap(
    (each) => each?.tools ?? [],
  )
  const guestJob = buildGuestJob(
    { ...job, args },
    { ...permissions, environment },
    { keys, program, interactive: interactive?.mode, inspect: inspector?.inspect },
  )
  return {
    guest: job.kernel
      ? { kind: 'commands', kernel: buildKernelJob(guestJob, job.kernel) }
      : { kind: 'function', job: guestJob, input: interactive && { terminal } },
    skills: job.skills.map(describeMount),
    tools,
    nodePackages: permissions.dependencies?.nodePackages,
    ...mounts,
  }
}

/** The mounts of a session. A start-up file that one of its runs writes at home is not that of another. */
function describeSession({ session }: FunctionJob) {
  if (!session) return {}
  const { workspace, folders } = session
  return { workspace, folders, environment: { HOME: '/tmp' } }
}

async function openInspector(services: FunctionServices): Promise<InspectorRelay | undefined> {
  const inspect = services.instruments?.inspect
  if (!inspect) return undefined
  const { openInspectorRelay } = await import('../debug/inspector-relay.ts')
  return await openInspectorRelay(inspect.port)
}

/** Plain Agent Skills may have scripts in TypeScript, which their Python starts. */
async function findScriptSupport({ job: { target } }: FunctionRun, onHost: boolean) {
  const entrypoint = target.kind === 'skill' ? target.skill.manifest.runtime?.entrypoint : undefined
  if (target.kind !== 'skill' || entrypoint !== ADAPTER) return undefined
  const { supportTypeScriptScripts } = await import('./typescript-scripts.ts')
  return supportTypeScriptScripts(target.skill, onHost)
}

/** Finds the program that runs the function, if not the interpreter of the harness. */
async function resolveActionProgram(
  { config, sandboxes }: FunctionServices,
  { job, call, permissions }: FunctionRun,
  onHost: boolean,
): Promise<ActionProgram | undefined> {
  const language = resolveTargetLanguage(job.target)
  if (language === 'python') return undefined
  const { findActionProgram } = await import('./action-program.ts')
  const { cwd, env } = call
  const excluded = [...listProjectFolders(config), ...job.skills.map(({ dir }) => dir)]
  const { limits } = permissions
  const { answers } = sandboxes
  const isKernel = job.kernel !== undefined
  return await findActionProgram({
    language,
    cwd,
    env,
    answers,
    limits,
    excluded,
    onHost,
    isKernel,
  })
}

function noteKeptWorkspace({ job, logs, call }: FunctionRun, kept: SandboxExit['kept']): void {
  // A test asks for the copy by its expectations.
  if (!kept || call.keepIn === undefined || job.files) return
  if ('problem' in kept) logs.addNote(`The workspace could not be kept: ${kept.problem}`)
  else {
    const omitted = kept.leftOut > 0 ? `; links and special files left out: ${kept.leftOut}` : ''
    logs.addNote(
      `The workspace is kept in ${call.keepIn}${omitted}${describeUnreadable(kept.unreadable)}`,
    )
  }
}

function describeUnreadable(paths: readonly string[]): string {
  if (paths.length === 0) return ''
  const shown = paths.slice(0, MAX_UNREADABLE_SHOWN).map((path) => toPrintable(path))
  const more = paths.length - shown.length
  return `; cannot be read: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
