import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { cancelledError, SkillsError } from '../../../errors.ts'
import type { EndReason, SandboxRequest } from '../backend.ts'
import { GuestRelay } from '../container/relay/guest-relay.ts'
import { waitForStreamEnd } from '../guest-host/child-streams.ts'
import { encodeUint32 } from '../guest-host/encode-uint32.ts'
import { readGuestFiles } from '../guest-host/guest-files.ts'
import { chooseStdin } from '../guest-host/guest-job.ts'
import type { StartedGuest } from '../guest-host/guest-process.ts'
import type { StagedFiles } from '../rootfs/stage-files.ts'
import { backendUnusableError, startFailedError } from '../start-errors.ts'
import { BOOT_CODE } from './boot.ts'
import type { Executor, ExecutorExit, ExecutorGuarantees, ExecutorProcess } from './executor.ts'
import { ExecutorGroup } from './executor-group.ts'
import { packFiles, TooManyFilesError } from './pack-files.ts'
import type { PlacedFiles } from './placed-files.ts'
import { receiveFiles, ReturnLimitError } from './receive-files.ts'
import { startPython } from './start-python.ts'

const START_MS = 60_000
/** How long a killed run may take to return its files. */
const RETURN_MS = 5000
const MAX_STDERR_CHARS = 4000
/** How long the reason for a failed start may take to arrive. */
const STDERR_MS = 1000
const PIECE_BYTES = 256 * 1024

/** A run with the files that it gets by copies. */
export interface PlacedRun {
  request: SandboxRequest
  staged: StagedFiles
  files: PlacedFiles
  /** Its own folder inside; empty for the root folder. */
  root: string
}

/** A started guest, and the end of its files. */
export interface PlacedGuest {
  started: StartedGuest
  guarantees: ExecutorGuarantees
  /** Sets the function that is called with a limit that the executor, or the changed files, reached. */
  onLimit(handler: (reason: EndReason) => void): void
}

/** Starts a command, sends it the files of a run, and waits until its relay answers. */
export async function startPlacedGuest(executor: Executor, run: PlacedRun): Promise<PlacedGuest> {
  const { request } = run
  const { id, limits, signal } = request
  const skills = request.skills.map(({ name }) => name)
  const command = await startPython(executor, { id, limits, signal, skills, code: BOOT_CODE })
  const stderr = collectText(command.stderr)
  const dead = command.exited.then(
    (exit) => exit,
    (error: unknown): ExecutorExit => ({ exitCode: null, failure: String(error) }),
  )
  const abort = () => command.kill()
  request.signal?.addEventListener('abort', abort, { once: true })
  try {
    await sendFiles(command, run, dead)
    const relay = new GuestRelay(command.stdout, command.stdin, {
      network: request.network,
      returnsFiles: true,
      onStatus: () => {},
      onViolation: () => command.kill(),
    })
    await waitForRelay(relay, dead, signal)
    return followGuest(executor, run, { command, relay, dead })
  } catch (error) {
    command.kill()
    for (const each of [command.stdout, command.stderr]) each.resume()
    const exit = await dead
    if (request.signal?.aborted) throw cancelledError()
    await Promise.race([
      waitForStreamEnd(command.stderr),
      sleep(STDERR_MS, undefined, { ref: false }),
    ])
    if (error instanceof SkillsError) throw error
    const why = [exit.failure, stderr.text().trim(), (error as Error).message].find(Boolean)
    throw startFailedError(`the executor "${executor.name}": ${why}`)
  } finally {
    request.signal?.removeEventListener('abort', abort)
  }
}

async function sendFiles(
  { stdin }: Pick<ExecutorProcess, 'stdin'>,
  { request, files, root }: PlacedRun,
  dead: Promise<ExecutorExit>,
): Promise<void> {
  const { workspaceBytes: maxBytes, inodes: maxEntries } = request.limits
  const settings = {
    root,
    isRemoved: root !== '',
    returned: [...files.returned.keys()],
    leftOut: files.leftOut,
    maxBytes,
    maxEntries,
  }
  const text = readGuestFiles().find(({ name }) => name === 'placing.py')?.text ?? Buffer.alloc(0)
  const json = Buffer.from(JSON.stringify(settings))
  const hidden = new Set((request.hidden ?? []).map(({ target }) => target))
  try {
    await write(stdin, Buffer.concat([encodeUint32(text.length), text]), dead)
    await write(stdin, Buffer.concat([encodeUint32(json.length), json]), dead)
    const archive = packFiles(files.items, { hidden, maxBytes, maxEntries })
    for await (const piece of joinPieces(archive)) await write(stdin, piece, dead)
  } catch (error) {
    throw error instanceof TooManyFilesError ? tooManyFilesError() : error
  }
}

/** Joins small chunks: each piece may be a request to another machine. */
async function* joinPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let joined: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    joined.push(chunk)
    size += chunk.length
    if (size < PIECE_BYTES) continue
    yield Buffer.concat(joined)
    joined = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(joined)
}

/** Waits while the executor accepts no more. */
async function write(stdin: Writable, bytes: Buffer, dead: Promise<ExecutorExit>): Promise<void> {
  if (stdin.destroyed || stdin.writableEnded) throw new Error('it closed its input')
  if (stdin.write(bytes)) return
  const gaveUp = new AbortController()
  const drained = once(stdin, 'drain', { signal: gaveUp.signal }).then(() => true as const)
  const end = await Promise.race([drained, dead])
  gaveUp.abort()
  drained.catch(() => {})
  if (end === true) return
  throw new Error(`it ended with code ${end.exitCode} before it had the files of the run`)
}

async function waitForRelay(
  relay: GuestRelay,
  dead: Promise<ExecutorExit>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const late = new AbortController()
  const problem = await Promise.race([
    relay.connected.then(() => undefined),
    dead.then(({ exitCode }) => `it ended with code ${exitCode}`),
    sleep(START_MS, `it did not answer within ${START_MS / 1000} s`, {
      signal: late.signal,
      ref: false,
    }).catch(() => undefined),
  ])
  late.abort()
  if (problem !== undefined || signal?.aborted) throw new Error(problem ?? 'it was cancelled')
}

interface Connected {
  command: ExecutorProcess
  relay: GuestRelay
  dead: Promise<ExecutorExit>
}

function followGuest(
  executor: Executor,
  { request, staged, files }: PlacedRun,
  { command, relay, dead }: Connected,
): PlacedGuest {
  const guarantees = narrowGuarantees(executor.guarantees, command.guarantees)
  let failure: string | undefined
  let isKilled = false
  let onLimit: (reason: EndReason) => void = () => {}
  const group = new ExecutorGroup(guarantees, dead)
  const { workspaceBytes: maxBytes, inodes: maxEntries } = request.limits
  const returned = receiveFiles(relay.files, { folders: files.returned, maxBytes, maxEntries })
  const ended = (async () => {
    const problem = await returned.then(
      () => undefined,
      (error: unknown) => error,
    )
    relay.files.destroy()
    const exit = await dead
    const reached = guarantees.limits.find((each) => each === exit.reached)
    if (problem instanceof ReturnLimitError) onLimit('disk')
    else if (reached === 'cpu' || reached === 'disk') onLimit(reached)
    else if (problem && !isKilled && reached === undefined)
      failure = exit.failure ?? `its files did not return: ${(problem as Error).message}`
  })()
  if (chooseStdin(request) === 'ignore') relay.stdin.end()
  const started: StartedGuest = {
    stdout: relay.stdout,
    stderr: relay.stderr,
    stdin: chooseStdin(request) === 'pipe' ? relay.stdin : undefined,
    control: relay.control,
    channel: relay.channel,
    init: Promise.resolve(undefined),
    // Its processes are not of this machine.
    hasLowPriority: false,
    dead: ended,
    killAll: () => {
      if (!isKilled) endGuest({ command, relay, dead })
      isKilled = true
    },
    exitReport: () => (failure === undefined ? undefined : { failure }),
    group,
    limits: request.limits,
    ownFileSystems: [],
    workspace: () => files.workspace ?? '/',
    remove: () => staged.remove(),
    keepIn: request.keepIn,
    network: request.network,
  }
  return { started, guarantees, onLimit: (handler) => void (onLimit = handler) }
}

/** A guest whose input ends kills its processes, returns its files and exits. */
function endGuest({ command, relay, dead }: Connected): void {
  relay.end()
  const late = new AbortController()
  void dead.then(() => late.abort())
  void sleep(RETURN_MS, undefined, { signal: late.signal, ref: false }).then(
    () => command.kill(),
    () => {},
  )
}

/** Guarantees that both the executor and the command claim. */
function narrowGuarantees(
  { isolates, limits }: ExecutorGuarantees,
  own: ExecutorGuarantees | undefined,
): ExecutorGuarantees {
  if (!own) return { isolates, limits }
  return {
    isolates: isolates.filter((each) => own.isolates.includes(each)),
    limits: limits.filter((each) => own.limits.includes(each)),
  }
}

function collectText(source: Readable): { text(): string } {
  let text = ''
  source.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString('utf8')).slice(-MAX_STDERR_CHARS)
  })
  return { text: () => text }
}

function tooManyFilesError(): SkillsError {
  return backendUnusableError(
    'The folders of this run are larger than its limit, and its executor gets them as copies',
    'Set run.limits.workspace, or run it without an executor',
  )
}
