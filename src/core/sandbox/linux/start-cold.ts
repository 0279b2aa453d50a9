import type { ChildProcess } from 'node:child_process'
import { loadLazily } from '../../../util/load-lazily.ts'
import type { Backend, Interpreter, SandboxProcess, SandboxRequest } from '../backend.ts'
import { describeGroupLimits, createControlGroup, sweepControlGroups } from '../cgroups/cgroup.ts'
import type { ControlGroup } from '../cgroups/control-group.ts'
import { getChildStream } from '../guest-host/child-streams.ts'
import { ORDINARY_UID, RUN_FDS, type LaunchCommand, type Launcher } from './launcher.ts'
import { waitUntilReady, startWithOneRetry } from './wait-until-ready.ts'
import {
  checkHostFolders,
  describeDiskLimits,
  prepareHostMounts,
  type HostMounts,
} from '../rootfs/host-mounts.ts'
import { describeColdIsolation, kernelCountsByNamespace } from './describe-isolation.ts'
import { describeLinuxGuest } from './describe-guest.ts'
import { buildGuestJob, GUEST_FOLDERS, chooseStdin } from '../guest-host/guest-job.ts'
import { computeGuestLimits } from '../guest-host/guest-limits.ts'
import { GuestProcess } from '../guest-host/guest-process.ts'
import { KillBarrier } from '../guest-host/kill-barrier.ts'
import { IdmapSupport } from '../rootfs/idmapped-folders.ts'
import { allocateRunUid } from '../guest-host/run-uid.ts'
import { preferForOutOfMemoryKiller } from './out-of-memory-score.ts'
import { SharedGuest } from './shared-guest.ts'
import { receiveListeners } from './receive-listeners.ts'
import { encodeFilter, buildFilter } from '../seccomp/seccomp.ts'
import { spawnGuest } from '../guest-host/spawn-guest.ts'
import { listReachableFolders } from '../rootfs/views.ts'
import { stageFiles, sweepStagingFolders, type StagedFiles } from '../rootfs/stage-files.ts'
import { SYSTEM_CALLS, type SystemCalls } from '../seccomp/system-calls.ts'
import { STRICT_GUARANTEES } from '../strict-guarantees.ts'
import { startFailedError, noControlGroupError } from '../start-errors.ts'
import { selectZygote } from '../warm/select-zygote.ts'
import type { ColdReason } from '../warm/sandbox-start.ts'
import type { WarmSandboxes } from '../warm/warm-sandboxes.ts'

/** Processes of bwrap that stay in the group of a run. */
const LAUNCHER_PROCESSES = 1

/** State of one runtime's backend that is shared by its runs. */
interface LinuxState {
  launcher: Launcher
  pool: WarmSandboxes | undefined
  readonly killBarrier: KillBarrier
  readonly disks: IdmapSupport
  readonly guests: SharedGuest
}

/**
 * Opens the backend of one runtime that isolates by namespaces: never as the host's root, without
 * capabilities, and without network unless it is filtered.
 */
export function openLinuxBackend(launcher: Launcher): Backend {
  const context: LinuxState = {
    launcher,
    pool: undefined,
    killBarrier: new KillBarrier(),
    disks: new IdmapSupport(),
    guests: new SharedGuest(),
  }
  return {
    name: launcher.name,
    summary: launcher.summary,
    guarantees: STRICT_GUARANTEES,
    notes: [],
    probe: async (env) => await launcher.probe(env),
    start: async (request) => await startSandboxed(request, context),
    close: () => context.guests.remove(),
    async keepWarm(options) {
      const { WarmSandboxes: Pool } = await import('../warm/warm-sandboxes.ts')
      return (context.pool ??= new Pool(options, launcher))
    },
  }
}

const loadWarmPath = loadLazily(async () => await import('../warm/start-warm.ts'))

async function startSandboxed(
  request: SandboxRequest,
  context: LinuxState,
): Promise<SandboxProcess> {
  const interpreter = await request.interpreter()
  const startCold = async (reason: ColdReason) => {
    const startOnce = async () => await startColdOnce(request, { ...context, interpreter, reason })
    const started = await startWithOneRetry(request.signal, startOnce)
    context.pool?.trackColdRun(started.exited)
    return started
  }
  const zygoteOrReason = selectZygote(context.pool, request, interpreter)
  if (typeof zygoteOrReason === 'string') return await startCold(zygoteOrReason)
  const { startWarm } = await loadWarmPath()
  const started = await startWarm(request, zygoteOrReason, {
    interpreter,
    killBarrier: context.killBarrier,
  })
  // A failed warm start has executed nothing of the run, so a cold start is safe.
  return started ?? (await startCold('did not start'))
}

interface ColdStart extends LinuxState {
  interpreter: Interpreter
  reason: ColdReason
}

async function startColdOnce(
  request: SandboxRequest,
  { launcher, interpreter, reason, killBarrier, disks, guests }: ColdStart,
): Promise<SandboxProcess> {
  launcher.check(request.env)
  const calls = getSystemCalls()
  sweepStagingFolders()
  sweepControlGroups()
  const asRoot = process.getuid?.() === 0
  const checked = checkHostFolders(request, asRoot)
  const user = asRoot ? (checked.user ?? allocateRunUid()) : undefined
  const needs = launcher.describeNeeds(interpreter)
  const { compiled } = interpreter
  const guestFolder = guests.take(request, interpreter)
  const staged = stageFiles(request, user ?? ORDINARY_UID, { compiled, needs, guest: guestFolder })
  const group = createRequiredGroup(request, staged, launcher)
  try {
    const idmapping = { interpreter, disks }
    const hostMounts = await prepareHostMounts(request, checked, { staged, user, idmapping })
    const grouped = group !== undefined
    const run = { staged, interpreter, asRoot, hostMounts, grouped }
    const command = launcher.buildRun(request, run)
    const child = spawnLauncher(command, request)
    // bwrap forks only after it has read its arguments. The other launcher does this itself.
    if (!launcher.becomesGuest) preferForOutOfMemoryKiller(child.pid)
    const context = { request, staged, group, hostMounts, launcher, asRoot }
    const guest = describeLinuxGuest(child, context)
    const running = new GuestProcess(guest, killBarrier)
    void joinAndLaunch(child, command, context)
    getChildStream(child, RUN_FDS.seccomp).end(encodeFilter(buildFilter(calls)))
    const limits = computeGuestLimits(request.limits, {
      grouped,
      countsUsers: asRoot || kernelCountsByNamespace(),
      countsMemory: true,
    })
    running.start(user === undefined ? 'itself' : { user }, () =>
      buildGuestJob(request, { folders: GUEST_FOLDERS, packages: interpreter.packages, limits }),
    )
    const inside = await waitUntilReady(running, child, request.limits)
    void guest.dead.then(() => request.network?.close())
    return Object.assign(running, {
      isolation: describeColdIsolation(inside, {
        backend: launcher.name,
        asRoot,
        reason,
        folders: hostMounts.reported,
        reachable: listReachableFolders(command.mounts, inside, listCopies(staged, hostMounts)),
        where: {
          ...limits.where,
          ...describeGroupLimits(group),
          ...describeDiskLimits(hostMounts),
        },
        network: request.network ? 'filtered' : 'none',
      }),
    })
  } catch (error) {
    await group?.remove()
    staged.remove()
    throw error
  }
}

/** Lists the folders with files of the runtime, in which no program of the host has a socket. */
function listCopies({ copies, guest }: StagedFiles, hostMounts: HostMounts): string[] {
  return [copies, guest, ...hostMounts.copies]
}

function getSystemCalls(): SystemCalls {
  const calls = SYSTEM_CALLS[process.arch]
  if (!calls) throw startFailedError(`there is no system call filter for ${process.arch}`)
  return calls
}

/**
 * Sends the arguments of a launcher. bwrap forks only after it has read them: if it is in the group
 * before, the run's namespace of control groups hides the path of the group. The other launcher
 * enters that namespace later.
 */
async function joinAndLaunch(
  child: ChildProcess,
  { args }: LaunchCommand,
  { group, launcher }: { group: ControlGroup | undefined; launcher: Launcher },
): Promise<void> {
  // A failure recurs when the first process of the run joins, and ends the run.
  if (!launcher.becomesGuest && child.pid !== undefined) await group?.add(child.pid).catch(() => {})
  getChildStream(child, RUN_FDS.args).end(args)
}

/** Creates the group before any skill code starts; throws if a strict run cannot have one. */
function createRequiredGroup(
  { id, limits, strict }: SandboxRequest,
  staged: StagedFiles,
  { becomesGuest }: Launcher,
): ControlGroup | undefined {
  const processes = limits.processes + (becomesGuest ? 0 : LAUNCHER_PROCESSES)
  const group = createControlGroup(id, { ...limits, processes })
  if (group || !strict) return group
  staged.remove()
  throw noControlGroupError()
}

function spawnLauncher(
  { argv, cwd, env }: LaunchCommand,
  request: Pick<SandboxRequest, 'network' | 'guest'>,
): ChildProcess {
  const { network } = request
  const child = spawnGuest(argv, {
    // The run can read the environment of bwrap. A session of its own keeps a terminal's Ctrl-C
    // from reaching it.
    env,
    cwd,
    detached: true,
    stdio: [
      chooseStdin(request),
      'pipe',
      'pipe',
      ...Array.from({ length: 5 }, () => 'pipe' as const),
      ...(network ? ['ipc' as const] : []),
    ],
  })
  if (network) receiveListeners(child, network)
  return child
}
