import { SkillsError } from '../../errors.ts'
import { fewRandomBytes } from '../../util/random-bytes.ts'
import { findPython } from '../languages/python.ts'
import type { PlainObject } from '../skills/manifest/manifest.ts'
import type { Interpreter, SandboxExit, SandboxProcess } from '../sandbox/backend.ts'
import { guestModules } from '../sandbox/guest-host/guest-files.ts'
import { withoutGroups } from '../sandbox/unavailable.ts'
import { chooseBackend } from '../sandbox/backends.ts'
import type { SandboxNetwork } from '../sandbox/network.ts'
import type { ActionProgram } from './action-program.ts'
import { BlobReceiver } from './protocol/blob-receiver.ts'
import { followSandbox } from './protocol/follow-sandbox.ts'
import { KEY_BYTES } from './protocol/frames.ts'
import { checkInputs } from './inputs.ts'
import { jobOf, type RunKeys } from './protocol/job.ts'
import { Logs } from './protocol/logs.ts'
import { openNetwork } from './open-network.ts'
import { judge } from './outcome.ts'
import { redactorFor } from './redaction/redact.ts'
import type { RunResult } from './result.ts'
import type { RunState } from './run-call.ts'
import type { RunRequest } from './run-request.ts'
import { languageOfTarget } from './target-language.ts'
import { toResult, type FinishedRun } from './to-result.ts'

/** What lives as long as one run. */
interface Run extends FinishedRun {
  keys: RunKeys
  network?: SandboxNetwork | undefined
}

/** Runs code in a fresh sandbox. Code that fails is a result; what could not run is thrown. */
export async function runInSandbox(request: RunRequest): Promise<RunResult> {
  const run = newRun(request)
  const tell = (state: RunState) => request.onEvent?.({ type: 'state', run_id: run.id, state })
  try {
    tell('starting')
    const result = await runStages(run, tell)
    tell(result.status)
    return result
  } catch (error) {
    tell(request.signal?.aborted ? 'cancelled' : 'failed')
    throw error
  } finally {
    run.network?.close()
    await run.receiver.abort()
  }
}

function newRun(request: RunRequest): Run {
  const { blobs: store, maxBlobBytes: maxBytes, onEvent } = request
  const redactor = redactorFor(Object.values(request.secrets))
  const keys = { channel: fewRandomBytes(KEY_BYTES), blobs: fewRandomBytes(KEY_BYTES) }
  return {
    id: request.id,
    request,
    keys,
    redactor,
    logs: new Logs(redactor, {
      onPiece: onEvent && ((piece) => onEvent({ type: 'log', ...piece })),
      onBytes: request.onBytes,
    }),
    receiver: new BlobReceiver({ store, redactor, maxBytes, secret: keys.blobs }),
    startedAt: performance.now(),
  }
}

async function runStages(run: Run, tell: (state: RunState) => void): Promise<RunResult> {
  const { blobs, inputBlobs } = run.request
  const held = await blobs.hold(inputBlobs)
  try {
    const files = held.files.map(({ id, path }) => ({ name: id.slice('blob:'.length), path }))
    return await runWith(run, files, tell)
  } finally {
    await held.release()
  }
}

async function runWith(
  run: Run,
  files: readonly { name: string; path: string }[],
  tell: (state: RunState) => void,
): Promise<RunResult> {
  const { request } = run
  const { target } = request
  const inputs = target.kind === 'skill' ? target.skill.manifest.inputs : {}
  const { args, problem } = checkInputs(inputs, request.args, request.inputBlobs)
  if (problem) {
    const error = { type: 'ValidationError', ...problem }
    return await toResult(run, { kind: 'failed', error }, null)
  }
  for (const note of request.notes) run.logs.note(note)
  const sandbox = await start(run, args, files)
  const trace = request.trace ?? {}
  trace.isolation = sandbox.isolation
  tell('running')
  const { told, refused } = await followSandbox(run, sandbox)
  tell('collecting')
  const exit = await sandbox.exited
  trace.exit = exit
  if (exit.endedBecause === 'cancelled') throw cancelled()
  if (refused instanceof SkillsError) throw refused
  sayWhatWasKept(run, exit.kept)
  const { isolation } = sandbox
  const { limits } = request
  return await toResult(run, judge({ exit, told, refused, limits, isolation }), isolation)
}

async function start(
  run: Run,
  args: PlainObject,
  blobs: readonly { name: string; path: string }[],
): Promise<SandboxProcess> {
  const { id, request, keys, logs } = run
  const backend = await chooseBackend(request.backend)
  if (request.strict && backend.promises.tier === 'none') throw tooWeak(NOT_ISOLATING)
  for (const note of backend.notes) logs.note(note)
  if (request.signal?.aborted) throw cancelled()
  const network = await openNetwork({ request, logs })
  run.network = network?.sandbox
  const environment = { ...request.environment, ...network?.environment }
  const program = await programFor(request, backend.name === 'process')
  const sandbox = await backend.start({
    id,
    skills: request.mounts.map(({ manifest, dir }) => ({ name: manifest.name, dir })),
    interpreter: async () => await interpreterOf(request),
    job: jobOf({ ...request, environment }, args, { keys, program }),
    tools: toolsOf(request, program),
    blobs,
    limits: request.limits,
    env: request.env,
    container: request.container,
    strict: request.strict,
    warm: request.warm,
    signal: request.signal,
    keepIn: request.keepIn,
    network: network?.sandbox,
  })
  return request.strict ? await heldToStrict(sandbox) : sandbox
}

function toolsOf({ dependencies }: RunRequest, program: ActionProgram | undefined) {
  return [program?.tools ?? [], dependencies?.tools ?? []].flat()
}

async function heldToStrict(sandbox: SandboxProcess): Promise<SandboxProcess> {
  if (sandbox.isolation.tier === 'strict') return sandbox
  sandbox.kill('cancelled')
  for (const each of [sandbox.stdout, sandbox.stderr, sandbox.channel]) each.resume()
  await sandbox.exited
  throw withoutGroups()
}

/** What runs it, where that is not the harness's own interpreter. */
async function programFor(
  request: RunRequest,
  onHost: boolean,
): Promise<ActionProgram | undefined> {
  const language = languageOfTarget(request.target)
  if (language === 'python') return undefined
  const { findActionProgram } = await import('./action-program.ts')
  const { cwd, env, cacheDir, limits } = request
  const excluded = [...(request.excluded ?? []), ...request.mounts.map(({ dir }) => dir)]
  return await findActionProgram({ language, cwd, env, cacheDir, limits, excluded, onHost })
}

async function interpreterOf(request: RunRequest): Promise<Interpreter> {
  const find = async () => await findPython({ ...request, modules: guestModules() })
  const { warm, env, cwd, python = '' } = request
  return await (warm?.interpreters.get({ key: env, words: `${cwd}\0${python}` }, find) ?? find())
}

const NOT_ISOLATING = [
  'Strict isolation is required, but the backend "process" does not isolate',
  'Leave --backend out, or choose bubblewrap or container',
] as const

function tooWeak([message, hint]: readonly [string, string]): SkillsError {
  return new SkillsError('sandbox/too-weak', message, { hint })
}

function sayWhatWasKept({ logs, request }: Run, kept: SandboxExit['kept']): void {
  if (!kept || request.keepIn === undefined) return
  if ('problem' in kept) logs.note(`The workspace could not be kept: ${kept.problem}`)
  else {
    const left = kept.leftOut > 0 ? `; links and special files left out: ${kept.leftOut}` : ''
    logs.note(`The workspace is kept in ${request.keepIn}${left}`)
  }
}

function cancelled(): SkillsError {
  return new SkillsError('run/cancelled', 'The run was cancelled')
}
