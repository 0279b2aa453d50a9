import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { SkillsError } from '../../errors.ts'
import { findPython } from '../languages/python.ts'
import type { Manifest, Plain, PlainObject } from '../manifest/manifest.ts'
import type { Limits, SandboxProcess } from '../sandbox/backend.ts'
import { startBubblewrap } from '../sandbox/bubblewrap.ts'
import type { BlobStore } from '../store/blob-store.ts'
import { BlobReceiver } from './blob-receiver.ts'
import { KEY_BYTES, readFrames } from './frames.ts'
import { checkInputs } from './inputs.ts'
import { Logs } from './logs.ts'
import { judge, type Outcome, type Told } from './outcome.ts'
import { redactorFor, type Redactor } from './redact.ts'
import type { LogPiece, RunError, RunResult } from './result.ts'

const MAX_OUTPUT = 4096
const MAX_SUMMARY = 500

/** One run of a skill, everything decided. */
export interface RunRequest {
  manifest: Manifest
  /** The skill's folder. */
  dir: string
  args: PlainObject
  inputBlobs: readonly string[]
  limits: Limits
  maxBlobBytes: number
  /** Values of the secrets that the skill gets, by name. */
  secrets: Readonly<Record<string, string>>
  /** Other variables that the skill gets. */
  environment: Readonly<Record<string, string>>
  python: string | undefined
  strict: boolean
  /** What may be deleted at any time is kept here; nothing is unless given. */
  cacheDir?: string | undefined
  cwd: string
  /** The caller's environment: where programs are found. */
  env: Readonly<Record<string, string | undefined>>
  blobs: BlobStore
  signal: AbortSignal | undefined
  onLog: ((piece: LogPiece) => void) | undefined
}

/** What lives as long as one run. */
interface Run {
  id: string
  request: RunRequest
  redactor: Redactor
  logs: Logs
  receiver: BlobReceiver
  startedAt: number
}

/** Runs a skill in a fresh sandbox. A skill that fails is a result; what could not run is thrown. */
export async function runSkill(request: RunRequest): Promise<RunResult> {
  const redactor = redactorFor(Object.values(request.secrets))
  const run: Run = {
    id: `run_${randomBytes(12).toString('hex')}`,
    request,
    redactor,
    logs: new Logs(redactor, request.onLog),
    receiver: new BlobReceiver(request.blobs, redactor, request.maxBlobBytes),
    startedAt: performance.now(),
  }
  const files = await Promise.all(
    request.inputBlobs.map(async (id) => ({
      name: id.slice(5),
      path: await request.blobs.file(id),
    })),
  )
  const { args, problem } = checkInputs(request.manifest.inputs, request.args, request.inputBlobs)
  if (problem) {
    const error = { type: 'ValidationError', ...problem }
    return await toResult(run, { kind: 'failed', error }, null)
  }
  sayWhatIsMissing(run)
  const key = randomBytes(KEY_BYTES)
  const sandbox = await start(run, { args, key, files })
  try {
    const told = await follow(run, sandbox, key)
    const exit = await sandbox.exited
    if (exit.endedBecause === 'cancelled') {
      throw new SkillsError('run/cancelled', 'The run was cancelled')
    }
    if (told instanceof SkillsError) throw told
    const { isolation } = sandbox
    return await toResult(run, judge({ exit, told, limits: request.limits, isolation }), isolation)
  } finally {
    await run.receiver.abort()
  }
}

async function start(
  { id, request }: Run,
  own: { args: PlainObject; key: Buffer; files: readonly { name: string; path: string }[] },
): Promise<SandboxProcess> {
  const { manifest, signal } = request
  const { entrypoint = '', export: name = '' } = manifest.runtime ?? {}
  const interpreter = await findPython(request)
  if (signal?.aborted) throw new SkillsError('run/cancelled', 'The run was cancelled')
  const sandbox = await startBubblewrap({
    id,
    skill: { name: manifest.name, dir: request.dir },
    interpreter,
    job: {
      entry: { skill: manifest.name, entrypoint, export: name },
      args: own.args,
      env: { ...BASE_ENVIRONMENT, ...request.environment, ...request.secrets },
      key: own.key.toString('hex'),
      paths: [...interpreter.packages],
    },
    blobs: own.files,
    limits: request.limits,
    searchPath: request.env['PATH'] ?? '/usr/bin:/bin',
  })
  if (!request.strict || sandbox.isolation.tier === 'strict') return sandbox
  sandbox.kill('cancelled')
  for (const each of [sandbox.stdout, sandbox.stderr, sandbox.channel]) each.resume()
  await sandbox.exited
  throw new SkillsError(
    'sandbox/too-weak',
    'Strict isolation is required, but this process may not make control groups',
    { hint: 'Run as root, or set run.require_isolation = "any" in skills.config.toml' },
  )
}

/** The whole environment of a skill, but for what its operator hands through. */
const BASE_ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/workspace',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
}

/** Reads all that a run says until it is dead; enforces the limits that the host keeps. */
async function follow(
  run: Run,
  sandbox: SandboxProcess,
  key: Buffer,
): Promise<Told | SkillsError | undefined> {
  const { limits, signal } = run.request
  const timer = setTimeout(() => sandbox.kill('wall'), limits.wallMs)
  const cancel = () => sandbox.kill('cancelled')
  signal?.addEventListener('abort', cancel, { once: true })
  if (signal?.aborted) cancel()
  let left = limits.outputBytes
  const bounded = async function* (source: Readable): AsyncGenerator<Buffer> {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      if (left > 0) yield chunk.subarray(0, left)
      left -= chunk.length
      if (left < 0) sandbox.kill('output')
    }
  }
  try {
    const [told] = await Promise.all([
      receive(run, sandbox, key),
      run.logs.read('stdout', bounded(sandbox.stdout)),
      run.logs.read('stderr', bounded(sandbox.stderr)),
      // A skill may close all that it writes to and go on: only its end is the end.
      sandbox.exited,
    ])
    return told
  } catch (error) {
    sandbox.kill('cancelled')
    await sandbox.exited
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

/** Takes blobs and the result from the channel; a store that fails ends the run. */
async function receive(
  { receiver }: Run,
  sandbox: SandboxProcess,
  key: Buffer,
): Promise<Told | SkillsError | undefined> {
  let told: Told | undefined
  try {
    for await (const { kind, content } of readFrames(sandbox.channel, key)) {
      if (kind === 'B') await receiver.begin(content)
      else if (kind === 'C') await receiver.add(content)
      else if (kind === 'E') await receiver.end(content)
      else if (kind === 'R') told ??= JSON.parse(content.toString('utf8')) as Told
    }
  } catch (error) {
    sandbox.kill('blobs')
    if (error instanceof SkillsError) return error
    throw error
  }
  return told
}

async function toResult(
  run: Run,
  outcome: Outcome,
  isolation: RunResult['isolation'],
): Promise<RunResult> {
  const { redactor, receiver } = run
  const judged = outcome.kind === 'stored' && !receiver.has(outcome.blobId) ? LOST : outcome
  const body =
    judged.kind === 'failed' ? failure(judged.error, redactor) : await success(run, judged)
  return {
    run_id: run.id,
    ...body,
    // What a failed run wrote before is whole as well, and may be what explains the failure.
    output_blobs: await receiver.commit(),
    logs_preview: run.logs.preview(),
    isolation,
    duration_ms: Math.round(performance.now() - run.startedAt),
  }
}

const LOST: Outcome = {
  kind: 'failed',
  error: { type: 'SandboxError', message: 'The result did not arrive whole' },
}

async function success(run: Run, outcome: Exclude<Outcome, { kind: 'failed' }>) {
  const { redactor, request } = run
  const summary = (text: string | undefined) =>
    shorten(redactor.text(text ?? `${request.manifest.name} ran without an error`))
  if (outcome.kind === 'stored') {
    const output = { truncated: true, blob_id: outcome.blobId, size_bytes: outcome.size }
    return { status: 'completed' as const, summary: summary(outcome.summary), output }
  }
  const output = redactor.value(outcome.output)
  const size = Buffer.byteLength(JSON.stringify(output))
  if (size <= MAX_OUTPUT) {
    return { status: 'completed' as const, summary: summary(outcome.summary), output }
  }
  const id = await run.receiver.put(Buffer.from(JSON.stringify(output)))
  const reference: Plain = { truncated: true, blob_id: id, size_bytes: size }
  return { status: 'completed' as const, summary: summary(outcome.summary), output: reference }
}

function failure(error: RunError, redactor: Redactor) {
  const clean: RunError = {
    ...error,
    type: redactor.text(error.type),
    message: redactor.text(error.message),
    ...(error.traceback === undefined ? {} : { traceback: redactor.text(error.traceback) }),
  }
  const summary = shorten(clean.message === '' ? clean.type : `${clean.type}: ${clean.message}`)
  return { status: 'failed' as const, summary, error: clean }
}

function shorten(text: string): string {
  const line = [...text]
  return line.length <= MAX_SUMMARY ? text : `${line.slice(0, MAX_SUMMARY - 1).join('')}…`
}

function sayWhatIsMissing({ request, logs }: Run): void {
  const { network, secrets } = request.manifest.permissions
  if (network.length > 0) {
    logs.note(`This run has no network, although the skill declares ${network.join(', ')}`)
  }
  for (const name of secrets) {
    if (!Object.hasOwn(request.secrets, name)) {
      logs.note(`The secret ${name} is declared but not configured`)
    }
  }
}
