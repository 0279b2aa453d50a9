import { dirname } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { cancelledError, type SkillsError } from '../../../errors.ts'
import type { SandboxRequest } from '../backend.ts'
import type { ControlGroup } from '../cgroups/control-group.ts'
import { bufferStream, getChildStream } from '../guest-host/child-streams.ts'
import { GUEST_FOLDERS, chooseStdin } from '../guest-host/guest-job.ts'
import { selectWatchedLimits } from '../guest-host/guest-limits.ts'
import type { StartedGuest } from '../guest-host/guest-process.ts'
import { killProcess } from '../../../util/kill-process.ts'
import { OWN_FILE_SYSTEMS } from '../rootfs/mounts.ts'
import { spawnGuest } from '../guest-host/spawn-guest.ts'
import { backendUnusableError, startFailedError } from '../start-errors.ts'
import { buildContainerArguments, type ContainerPlan } from './arguments.ts'
import { runEngine, type ContainerEngine } from './engine.ts'
import { findInitPid } from './find-init-pid.ts'
import { openSentryProcesses } from './gvisor/sentry-processes.ts'
import { GuestGroup } from './guest-group.ts'
import { GuestRelay } from './relay/guest-relay.ts'
import { removeContainers } from './sweep-containers.ts'

const START_MS = 60_000
const END_MS = 10_000
/** Exit code of an engine for its own failures; also used when its exit was not observed. */
const ENGINE_FAILED_CODE = 125
const INCOMPLETE =
  'The container ended before its last message arrived, so its output may be incomplete'

/** One container to start. */
export interface ContainerRun {
  engine: ContainerEngine
  request: SandboxRequest
  plan: ContainerPlan
  group: ControlGroup
}

/** Starts a container and waits until its guest answers. */
export async function startContainerGuest(run: ContainerRun): Promise<StartedGuest> {
  const { engine, request, plan } = run
  const started = spawnEngine(run)
  const { relay } = started
  const isConnected = await Promise.race([
    relay.connected.then(() => true),
    started.dead.then(() => false),
    waitForAbort(request.signal),
    sleep(START_MS, false, { ref: false }),
  ])
  if (!isConnected || request.signal?.aborted) {
    relay.close()
    await removeContainers(engine, [plan.name])
    // A container that was about to start exits on its own, because its stdin is closed.
    await Promise.race([started.dead, sleep(END_MS, undefined, { ref: false })])
    if (request.signal?.aborted) throw cancelledError()
    throw explainStartFailure(await readStartFailure(started.errors), plan)
  }
  started.errors.resume()
  if (chooseStdin(request) === 'ignore') relay.stdin.end()
  const pid = await findRequiredPid(run, relay)
  const killer = createKiller(run, { relay, pid })
  return {
    stdout: relay.stdout,
    stderr: relay.stderr,
    stdin: chooseStdin(request) === 'pipe' ? relay.stdin : undefined,
    control: relay.control,
    channel: relay.channel,
    init: Promise.resolve(pid),
    dead: started.dead,
    killAll: () => killer.kill(),
    exitReport: () => (relay.isDone || killer.isKilled() ? undefined : { failure: INCOMPLETE }),
    group: pid === undefined ? started.remoteGroup : run.group,
    hasLowPriority: request.hasLowPriority === true,
    ...selectWatchedLimits(request),
    ...(engine.hasGvisor ? describeGvisorFiles(run) : { ownFileSystems: listOwnFileSystems(plan) }),
    disk: plan.hostMounts.watched,
    remove: () => plan.staged.remove(),
    keepIn: request.keepIn,
    network: request.network,
  }
}

/** Ends the container and throws if its first process is not here, although the run needs it. */
async function findRequiredPid(
  { engine, request, plan }: ContainerRun,
  relay: GuestRelay,
): Promise<number | undefined> {
  const pid = await findInitPid(engine, plan)
  if (pid !== undefined || (!engine.hasGvisor && request.keepIn === undefined)) return pid
  relay.close()
  await removeContainers(engine, [plan.name])
  throw engine.hasGvisor ? gvisorElsewhereError() : workspaceElsewhereError()
}

/** The host sees no root folder of the run and no file system in gVisor's memory. */
function describeGvisorFiles({
  group,
  plan,
}: ContainerRun): Pick<StartedGuest, 'ownFileSystems' | 'openProcesses' | 'workspace'> {
  const { workspace } = plan.hostMounts
  return {
    ownFileSystems: [],
    openProcesses: () => openSentryProcesses(group.folders),
    ...(workspace !== undefined && { workspace: () => workspace }),
  }
}

function listOwnFileSystems({ hostMounts }: ContainerPlan): string[] {
  const isOnDisk = hostMounts.workspace !== undefined
  return OWN_FILE_SYSTEMS.filter((folder) => folder !== GUEST_FOLDERS.workspace || !isOnDisk)
}

function gvisorElsewhereError(): SkillsError {
  return backendUnusableError(
    'gVisor starts runs only if podman runs on this machine itself: its kernel was not found here',
    'Unset CONTAINER_HOST, or leave out run.container.runtime',
  )
}

function workspaceElsewhereError(): SkillsError {
  return backendUnusableError(
    'The workspace of a run can be kept only if its container engine runs on this machine itself',
    'Return the data as the result or as a blob; compiled languages need an engine on Linux',
  )
}

function waitForAbort(signal: AbortSignal | undefined): Promise<false> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve(false)
    signal?.addEventListener('abort', () => resolve(false), { once: true })
  })
}

function spawnEngine({ engine, request, plan }: ContainerRun) {
  const child = spawnGuest([...engine.command, ...buildContainerArguments(engine, request, plan)], {
    env: engine.env,
    cwd: '/',
    // A session of its own keeps a terminal's Ctrl-C from reaching it.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const exit = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(ENGINE_FAILED_CODE))
    child.on('exit', (code) => resolve(code))
  })
  const remoteGroup = new GuestGroup(request.limits, () => relay.watch())
  const relay = new GuestRelay(getChildStream(child, 1), getChildStream(child, 0), {
    network: request.network,
    onStatus: (status) => remoteGroup.receiveStatus(status),
    onViolation: () => void removeContainers(engine, [plan.name]),
  })
  const end = async (): Promise<void> => {
    const code = await exit
    // Only the client has exited; the container may still run.
    if (code === null || code === ENGINE_FAILED_CODE) await removeContainers(engine, [plan.name])
  }
  return { relay, remoteGroup, errors: bufferStream(getChildStream(child, 2)), dead: end() }
}

/** A guest exits when its stdin closes; a stuck one is killed by the engine. */
function createKiller(
  { engine, plan }: ContainerRun,
  { relay, pid }: { relay: GuestRelay; pid: number | undefined },
): { kill(): void; isKilled(): boolean } {
  let isKilled = false
  const kill = (): void => {
    if (isKilled) return
    isKilled = true
    relay.close()
    // Fails for a process of another user, which the engine then kills.
    if (pid !== undefined) killProcess(pid)
    void runEngine(engine, ['kill', '--signal', 'KILL', plan.name])
  }
  return { kill, isKilled: () => isKilled }
}

/** An engine in a virtual machine sees only the folders that are shared with it. */
function explainStartFailure(why: string, { staged }: ContainerPlan): SkillsError {
  if (!/(?:source path does not exist|statfs).*skills-runs-/.test(why)) return startFailedError(why)
  const folder = dirname(dirname(staged.dir))
  return backendUnusableError(
    `The container engine does not see the folder for temporary files, "${folder}"`,
    'Share that folder with the virtual machine of the engine, or set TMPDIR to a shared one',
  )
}

async function readStartFailure(errors: Readable): Promise<string> {
  const output: Buffer[] = []
  errors.on('data', (chunk: Buffer) => output.push(chunk))
  await Promise.race([new Promise((resolve) => errors.once('end', resolve)), sleep(1000)])
  return Buffer.concat(output).toString('utf8').trim()
}
