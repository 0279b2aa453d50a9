import { cancelled, SkillsError } from '../../../errors.ts'
import { fewRandomBytes } from '../../../util/random-bytes.ts'
import { RunningHash } from '../../../util/running-hash.ts'
import { projectFolders } from '../../languages/project-folders.ts'
import type { SandboxExit } from '../../sandbox/backend.ts'
import type { Services } from '../../services.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { ActiveRun, BlobFiles, EndedRun } from '../active-run.ts'
import { targetLanguage, type FunctionJob } from '../job.ts'
import { BlobReceiver } from '../protocol/blob-receiver.ts'
import { KEY_BYTES } from '../protocol/frames.ts'
import { guestJob, type RunKeys } from '../protocol/guest-job.ts'
import type { RunResult } from '../result.ts'
import { startSandbox, type StartedSandbox, type StartServices } from '../start-sandbox.ts'
import type { ActionProgram } from './action-program.ts'
import { checkInputs } from './check-inputs.ts'
import { followFunction } from './follow-function.ts'
import { judge, type FunctionOutcome } from './function-outcome.ts'
import { Logs } from './logs.ts'
import { toResult, type FinishedRun } from './to-result.ts'

type FunctionServices = StartServices & Pick<Services, 'blobs'>

/** What lives as long as one run of a function. */
interface FunctionRun extends FinishedRun {
  keys: RunKeys
}

/** Calls a function in a fresh sandbox. Code that fails is a result; what could not run is thrown. */
export async function superviseFunction(
  services: FunctionServices,
  active: ActiveRun<FunctionJob>,
  files: BlobFiles,
): Promise<EndedRun<RunResult>> {
  const said = new RunningHash()
  const run = await openFunctionRun(services, active, said)
  try {
    const { outcome, isolation } = await callFunction(services, run, files)
    const { result, blobs } = await toResult(run, outcome, isolation)
    return { value: result, result, blobs, digests: { logs: `sha256:${said.hex()}` } }
  } finally {
    await run.receiver.abort()
  }
}

async function openFunctionRun(
  { blobs, config }: FunctionServices,
  active: ActiveRun<FunctionJob>,
  said: RunningHash,
): Promise<FunctionRun> {
  const { redactor, call, log } = active
  const { onEvent } = call
  const keys = { channel: fewRandomBytes(KEY_BYTES), blobs: fewRandomBytes(KEY_BYTES) }
  const store = await blobs()
  const maxBytes = config.run.limits.blobBytes
  return {
    ...active,
    keys,
    logs: new Logs(redactor, {
      onPiece: onEvent && ((piece) => onEvent({ type: 'log', ...piece })),
      onBytes: (source, bytes) => {
        log(bytes, source)
        said.update(bytes)
      },
    }),
    receiver: new BlobReceiver({ store, redactor, maxBytes, secret: keys.blobs }),
    begunAt: performance.now(),
  }
}

interface CalledFunction {
  outcome: FunctionOutcome
  /** Null where nothing was started. */
  isolation: RunResult['isolation']
}

async function callFunction(
  services: FunctionServices,
  run: FunctionRun,
  files: BlobFiles,
): Promise<CalledFunction> {
  const { target, inputBlobs, args: given = {} } = run.job
  const inputs = target.kind === 'skill' ? target.skill.manifest.inputs : {}
  const { args, problem } = checkInputs(inputs, given, inputBlobs)
  if (problem) {
    const error = { type: 'ValidationError', ...problem }
    return { outcome: { kind: 'failed', error }, isolation: null }
  }
  const started = await startFunction(services, run, { args, files })
  try {
    return { outcome: await follow(run, started), isolation: started.sandbox.isolation }
  } finally {
    started.closeNetwork()
  }
}

async function follow(run: FunctionRun, { sandbox }: StartedSandbox): Promise<FunctionOutcome> {
  const { isolation } = sandbox
  run.trace.isolation = isolation
  run.report('running')
  const { told, refused } = await followFunction(run, sandbox)
  run.report('collecting')
  const exit = await sandbox.exited
  run.trace.exit = exit
  if (exit.endedBecause === 'cancelled') {
    throw cancelled()
  }
  if (refused instanceof SkillsError) throw refused
  noteKeptWorkspace(run, exit.kept)
  return judge({ exit, told, refused, limits: run.permissions.limits, isolation })
}

async function startFunction(
  services: FunctionServices,
  run: FunctionRun,
  { args, files }: { args: PlainObject; files: BlobFiles },
): Promise<StartedSandbox> {
  const { job, permissions, logs, keys } = run
  return await startSandbox(services, {
    run,
    blobs: files,
    note: (text) => logs.note(text),
    async describeGuest(backend, network) {
      const program = await findProgram(services, run, backend.name === 'process')
      const environment = { ...permissions.environment, ...network }
      const { dependencies } = permissions
      return {
        job: guestJob({ ...job, args }, { ...permissions, environment }, { keys, program }),
        skills: job.skills.map(({ manifest, dir }) => ({ name: manifest.name, dir })),
        tools: [...(program?.tools ?? []), ...(dependencies?.tools ?? [])],
      }
    },
  })
}

/** The program that runs the function, where that is not the harness's own interpreter. */
async function findProgram(
  { config, sandboxes }: FunctionServices,
  { job, call, permissions }: FunctionRun,
  onHost: boolean,
): Promise<ActionProgram | undefined> {
  const language = targetLanguage(job.target)
  if (language === 'python') return undefined
  const { findActionProgram } = await import('./action-program.ts')
  const { cwd, env } = call
  const excluded = [...projectFolders(config), ...job.skills.map(({ dir }) => dir)]
  const { limits } = permissions
  const { answers } = sandboxes
  return await findActionProgram({ language, cwd, env, answers, limits, excluded, onHost })
}

function noteKeptWorkspace({ logs, call }: FunctionRun, kept: SandboxExit['kept']): void {
  if (!kept || call.keepIn === undefined) return
  if ('problem' in kept) logs.note(`The workspace could not be kept: ${kept.problem}`)
  else {
    const left = kept.leftOut > 0 ? `; links and special files left out: ${kept.leftOut}` : ''
    logs.note(`The workspace is kept in ${call.keepIn}${left}`)
  }
}
