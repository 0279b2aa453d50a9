import type { ChildProcess } from 'node:child_process'
import { DEFAULT_PATH, findProgram } from '../../../util/find-program.ts'
import { loadLazily } from '../../../util/load-lazily.ts'
import type {
  Backend,
  Interpreter,
  BackendProbe,
  SandboxProcess,
  SandboxRequest,
} from '../backend.ts'
import { buildBubblewrapArguments, BWRAP_FDS, buildGuestCommand } from './bubblewrap-arguments.ts'
import { describeGroupLimits, createControlGroup, sweepControlGroups } from '../cgroups/cgroup.ts'
import type { ControlGroup } from '../cgroups/control-group.ts'
import { getChildStream } from '../guest-host/child-streams.ts'
import { waitUntilReady, startWithOneRetry } from './wait-until-ready.ts'
import { checkHostFolders, prepareHostMounts, type HostMounts } from '../rootfs/host-mounts.ts'
import { describeBubblewrapIsolation, kernelCountsByNamespace } from './describe-isolation.ts'
import { describeBubblewrapGuest } from './describe-guest.ts'
import { buildGuestJob, GUEST_FOLDERS, chooseStdin } from '../guest-host/guest-job.ts'
import { computeGuestLimits } from '../guest-host/guest-limits.ts'
import { GuestProcess } from '../guest-host/guest-process.ts'
import { KillBarrier } from '../guest-host/kill-barrier.ts'
import { buildIdmapCommand, IdmapSupport } from '../rootfs/idmapped-folders.ts'
import { allocateRunUid } from '../guest-host/run-uid.ts'
import { receiveListeners } from './receive-listeners.ts'
import { encodeFilter, buildFilter } from '../seccomp/seccomp.ts'
import { spawnGuest } from '../guest-host/spawn-guest.ts'
import { stageFiles, sweepStagingFolders, type StagedFiles } from '../rootfs/stage-files.ts'
import { SYSTEM_CALLS, type SystemCalls } from '../seccomp/system-calls.ts'
import { startFailedError, backendUnusableError, noControlGroupError } from '../start-errors.ts'
import { selectZygote } from '../warm/select-zygote.ts'
import type { ColdReason } from '../warm/sandbox-start.ts'
import type { WarmSandboxes } from '../warm/warm-sandboxes.ts'

/** Limits of a persistent folder are enforced by polling. */
const POLLED_LIMITS = { workspace: 'runtime', inodes: 'runtime' }

/**
 * Runs user code in bubblewrap: never as the host's root, without capabilities, and without network
 * unless it is filtered.
 */
const BUBBLEWRAP_BACKEND = {
  name: 'bubblewrap',
  summary: 'Namespaces and a system call filter, by bubblewrap',
  guarantees: {
    tier: 'strict',
    isolates: { files: true, network: true, processes: true, user: true, 'system calls': true },
    filtersNetwork: true,
    limits: {
      time: 'run',
      cpu: 'run',
      memory: 'run',
      processes: 'run',
      'open files': 'each process',
      disk: 'run',
      output: 'run',
    },
  },
  notes: [],
  probe: probeBubblewrap,
} as const

/** State of one runtime's backend that is shared by its runs. */
interface BubblewrapState {
  pool: WarmSandboxes | undefined
  readonly killBarrier: KillBarrier
  readonly disks: IdmapSupport
}

/** Opens the backend of one runtime. */
export function openBubblewrapBackend(): Backend {
  const context: BubblewrapState = {
    pool: undefined,
    killBarrier: new KillBarrier(),
    disks: new IdmapSupport(),
  }
  return {
    ...BUBBLEWRAP_BACKEND,
    start: async (request) => await startBubblewrap(request, context),
    async keepWarm(options) {
      const { WarmSandboxes: Pool } = await import('../warm/warm-sandboxes.ts')
      return (context.pool ??= new Pool(options))
    },
  }
}

async function probeBubblewrap(env: SandboxRequest['env']): Promise<BackendProbe> {
  const program = findProgram('bwrap', env['PATH'] ?? DEFAULT_PATH)
  if (!program) return { ok: false, detail: 'bubblewrap is not installed' }
  if (!SYSTEM_CALLS[process.arch]) return { ok: false, detail: `no filter for ${process.arch}` }
  return { ok: true, detail: program }
}

const loadWarmPath = loadLazily(async () => await import('../warm/start-warm.ts'))

async function startBubblewrap(
  request: SandboxRequest,
  context: BubblewrapState,
): Promise<SandboxProcess> {
  const interpreter = await request.interpreter()
  const startCold = async (reason: ColdReason) =>
    await startWithOneRetry(
      request.signal,
      async () => await startBubblewrapOnce(request, { ...context, interpreter, reason }),
    )
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

interface ColdStart extends BubblewrapState {
  interpreter: Interpreter
  reason: ColdReason
}

async function startBubblewrapOnce(
  request: SandboxRequest,
  { interpreter, reason, killBarrier, disks }: ColdStart,
): Promise<SandboxProcess> {
  const { program, calls } = findBubblewrap(request.env)
  sweepStagingFolders()
  sweepControlGroups()
  const asRoot = process.getuid?.() === 0
  const checked = checkHostFolders(request, asRoot)
  const user = asRoot ? (checked.user ?? allocateRunUid()) : undefined
  const staged = stageFiles(request, user ?? 1000, interpreter.compiled)
  const group = createRequiredGroup(request, staged)
  try {
    const idmapping = { interpreter, disks }
    const hostMounts = await prepareHostMounts(request, checked, { staged, user, idmapping })
    const command = [...buildIdmapCommand(hostMounts.idmapped, staged, interpreter), program]
    const child = spawnBubblewrap(command, interpreter, request)
    const guest = describeBubblewrapGuest(child, { request, staged, group, hostMounts })
    const running = new GuestProcess(guest, killBarrier)
    getChildStream(child, BWRAP_FDS.args).end(
      buildBubblewrapArguments(request, staged, { interpreter, asRoot, hostMounts })
        .map((argument) => `${argument}\0`)
        .join(''),
    )
    getChildStream(child, BWRAP_FDS.seccomp).end(encodeFilter(buildFilter(calls)))
    const limits = computeGuestLimits(request.limits, {
      grouped: group !== undefined,
      countsUsers: asRoot || kernelCountsByNamespace(),
    })
    running.start(user === undefined ? 'itself' : { user }, () =>
      buildGuestJob(request, { folders: GUEST_FOLDERS, packages: interpreter.packages, limits }),
    )
    const inside = await waitUntilReady(running, child, request.limits)
    void guest.dead.then(() => request.network?.close())
    return Object.assign(running, {
      isolation: describeBubblewrapIsolation(inside, {
        asRoot,
        reason,
        folders: hostMounts.reported,
        where: {
          ...limits.where,
          ...describeGroupLimits(group),
          ...describeWorkspaceLimits(hostMounts),
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

function findBubblewrap(env: SandboxRequest['env']): { program: string; calls: SystemCalls } {
  const program = findProgram('bwrap', env['PATH'] ?? DEFAULT_PATH)
  const calls = SYSTEM_CALLS[process.arch]
  if (!program) {
    throw backendUnusableError(
      'Bubblewrap is not installed',
      'Type "skills doctor --fix" to install it',
    )
  }
  if (!calls) throw startFailedError(process.arch)
  return { program, calls }
}

/** Creates the group before any skill code starts; throws if a strict run cannot have one. */
function createRequiredGroup(
  { id, limits, strict }: SandboxRequest,
  staged: StagedFiles,
): ControlGroup | undefined {
  const group = createControlGroup(id, limits)
  if (group || !strict) return group
  staged.remove()
  throw noControlGroupError()
}

function spawnBubblewrap(
  prefix: readonly string[],
  interpreter: Interpreter,
  request: Pick<SandboxRequest, 'network' | 'program'>,
): ChildProcess {
  const { network } = request
  const argv = [
    ...prefix,
    '--args',
    String(BWRAP_FDS.args),
    '--',
    ...buildGuestCommand(interpreter),
  ]
  const child = spawnGuest(argv, {
    // The run can read the environment of bwrap. A session of its own keeps a terminal's Ctrl-C
    // from reaching it.
    env: {},
    cwd: '/',
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

function describeWorkspaceLimits({ workspace }: HostMounts): Record<string, string> {
  return workspace === undefined ? {} : POLLED_LIMITS
}
