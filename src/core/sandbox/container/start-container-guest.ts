import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { cancelledError } from '../../../errors.ts'
import type { SandboxRequest } from '../backend.ts'
import type { ControlGroup } from '../cgroups/control-group.ts'
import { bufferStream, getChildStream } from '../guest-host/child-streams.ts'
import { GUEST_FOLDERS, chooseStdin } from '../guest-host/guest-job.ts'
import type { StartedGuest } from '../guest-host/guest-process.ts'
import { killProcess } from '../../../util/kill-process.ts'
import { OWN_FILE_SYSTEMS } from '../rootfs/mounts.ts'
import { spawnGuest } from '../guest-host/spawn-guest.ts'
import { startFailedError } from '../start-errors.ts'
import { buildContainerArguments, SOCKET_NAME, type ContainerPlan } from './arguments.ts'
import { runEngine, type ContainerEngine } from './engine.ts'
import { findInitPid } from './find-init-pid.ts'
import { listenForGuest } from './guest-socket.ts'
import { removeContainers } from './sweep-containers.ts'

const START_MS = 60_000
const END_MS = 10_000
/** Exit code of an engine for its own failures; also used when its exit was not observed. */
const ENGINE_FAILED_CODE = 125

/** One container to start. */
export interface ContainerRun {
  engine: ContainerEngine
  request: SandboxRequest
  plan: ContainerPlan
  group: ControlGroup
}

/** Starts a container and waits until its guest connects. */
export async function startContainerGuest(run: ContainerRun): Promise<StartedGuest> {
  const { engine, request, plan } = run
  const socket = await listenForGuest(plan.staged.guest, SOCKET_NAME)
  const started = spawnEngine(run)
  const streams = await Promise.race([
    socket.connected,
    started.dead.then(() => undefined),
    waitForAbort(request.signal),
    sleep(START_MS, undefined, { ref: false }),
  ])
  socket.close()
  const pid = streams && (await findInitPid(engine, plan))
  if (!streams || pid === undefined) {
    await removeContainers(engine, [plan.name])
    // A container that was about to start exits on its own, because its guest finds no listener.
    await Promise.race([started.dead, sleep(END_MS, undefined, { ref: false })])
    if (request.signal?.aborted) throw cancelledError()
    throw startFailedError(streams ? INIT_NOT_LOCAL : await readStartFailure(started))
  }
  const init = Promise.resolve(pid)
  return {
    stdout: started.stdout,
    stderr: started.stderr,
    stdin: started.stdin ?? undefined,
    ...streams,
    init,
    dead: started.dead,
    killAll: createKiller(run, { control: streams.control, pid }),
    group: run.group,
    limits: request.limits,
    ownFileSystems: OWN_FILE_SYSTEMS.filter(
      (folder) => folder !== GUEST_FOLDERS.workspace || plan.hostMounts.workspace === undefined,
    ),
    disk: plan.hostMounts.watched,
    remove: () => plan.staged.remove(),
    keepIn: request.keepIn,
  }
}

const INIT_NOT_LOCAL = 'the first process of the container is not on this machine'

function waitForAbort(signal: AbortSignal | undefined): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve(undefined)
    signal?.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

function spawnEngine({ engine, request, plan }: ContainerRun) {
  const child = spawnGuest([...engine.command, ...buildContainerArguments(engine, request, plan)], {
    env: engine.env,
    cwd: '/',
    // A session of its own keeps a terminal's Ctrl-C from reaching it.
    detached: true,
    stdio: [chooseStdin(request), 'pipe', 'pipe'],
  })
  const [stdout, stderr] = [getChildStream(child, 1), getChildStream(child, 2)]
  const exit = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(ENGINE_FAILED_CODE))
    child.on('exit', (code) => resolve(code))
  })
  const end = async (): Promise<void> => {
    const code = await exit
    // Only the client has exited; the container may still run.
    if (code === null || code === ENGINE_FAILED_CODE) await removeContainers(engine, [plan.name])
  }
  return {
    stdin: child.stdin,
    stdout: bufferStream(stdout),
    stderr: bufferStream(stderr),
    dead: end(),
  }
}

/** A guest exits when its control connection closes; a stuck one is killed by the engine. */
function createKiller(
  { engine, plan }: ContainerRun,
  { control, pid }: { control: Socket; pid: number },
): () => void {
  let isKilled = false
  return () => {
    if (isKilled) return
    isKilled = true
    control.destroy()
    // Fails for a process of another user, which the engine then kills.
    killProcess(pid)
    void runEngine(engine, ['kill', '--signal', 'KILL', plan.name])
  }
}

async function readStartFailure({
  stdout,
  stderr,
}: ReturnType<typeof spawnEngine>): Promise<string> {
  stdout.resume()
  const output: Buffer[] = []
  stderr.on('data', (chunk: Buffer) => output.push(chunk))
  await Promise.race([new Promise((resolve) => stderr.once('end', resolve)), sleep(1000)])
  return Buffer.concat(output).toString('utf8').trim()
}
