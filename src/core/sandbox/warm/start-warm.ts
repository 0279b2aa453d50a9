import { SkillsError } from '../../../errors.ts'
import type { Interpreter, SandboxProcess, SandboxRequest } from '../backend.ts'
import { describeGroupLimits } from '../cgroups/cgroup.ts'
import { buildGuestJob, GUEST_FOLDERS, chooseStdin } from '../guest-host/guest-job.ts'
import { computeGuestLimits } from '../guest-host/guest-limits.ts'
import { buildHarnessCommand } from '../guest-host/harness-command.ts'
import type { ReadyGuest } from '../guest-host/control-channel.ts'
import { GuestProcess, type StartedGuest } from '../guest-host/guest-process.ts'
import type { KillBarrier } from '../guest-host/kill-barrier.ts'
import type { Isolation } from '../isolation.ts'
import { OWN_FILE_SYSTEMS, planRunMounts, planSystemMounts } from '../rootfs/mounts.ts'
import { listReachableFolders } from '../rootfs/views.ts'
import { describeNetworkLimit } from '../network-limit.ts'
import { noControlGroupError } from '../start-errors.ts'
import type { GuestKind } from './forked-guest.ts'
import { WARM_REASON } from './sandbox-start.ts'
import type { IdleFork } from './fork-pool.ts'
import { stageWarmRun, type WarmStagedFiles } from './stage-warm-run.ts'
import { mapIntoZygote, type ZygoteMount } from './tool-folders.ts'
import type { WarmZygote } from './warm-sandboxes.ts'
import type { Zygote } from './zygote.ts'
import { GUEST_IN_ZYGOTE, mapStagedPath, type GuestMountStep } from './zygote-mounts.ts'

/** Time for the finished run to be recorded and answered before forks are created. */
const REFILL_DELAY_MS = 3

/**
 * Runs a request in a fork of the zygote. Returns undefined if nothing of the run was executed, so
 * that the caller may start it in another way. Once the guest has reported that it received its
 * job, its outcome is the outcome of the run.
 */
export async function startWarm(
  request: SandboxRequest,
  warm: WarmZygote,
  { interpreter, killBarrier }: { interpreter: Interpreter; killBarrier: KillBarrier },
): Promise<SandboxProcess | undefined> {
  const kind = chooseGuestKind(request)
  const fork = await warm.forks.take(request.limits, kind)
  if (!fork) return undefined
  const { group, guest } = fork
  let staged: WarmStagedFiles
  try {
    if (request.strict && !group) throw noControlGroupError()
    staged = stageWarmRun(request, warm.folder.staged, warm.skills)
  } catch (error) {
    warm.forks.discard(fork)
    throw error
  }
  const running = new GuestProcess(describeWarmGuest(request, fork, staged), killBarrier)
  // A workspace that is copied, and memory that is counted, must be opened before the job is sent, so
  // the mounts must exist earlier.
  const grouped = group !== undefined
  guest.sendMountPlan(planMounts(request, { ...warm, interpreter, grouped }, staged), {
    isWithJob: request.keepIn === undefined && grouped,
  })
  const limits = computeGuestLimits(request.limits, {
    grouped,
    countsUsers: true,
    countsMemory: true,
  })
  const layout = planMemoryLayout(request, interpreter)
  running.start(undefined, () => ({
    ...buildGuestJob(request, { folders: GUEST_FOLDERS, packages: interpreter.packages, limits }),
    ...(layout.command && {
      interpreter: [...layout.command],
      libraries: interpreter.libraries ?? null,
    }),
  }))
  // Creating the next fork earlier would compete with this run and its response for the processor.
  const refill = () => setTimeout(() => warm.forks.refill(request.limits, kind), REFILL_DELAY_MS)
  void running.exited.finally(refill).catch(() => {})
  try {
    const inside = await running.ready
    const where = { ...limits.where, ...describeGroupLimits(group) }
    const isolation = describeWarmIsolation(warm.zygote, {
      inside,
      memoryLayout: layout.kind,
      limits: where,
    })
    const reachable = listReachable(request, { ...warm, interpreter }, inside)
    return Object.assign(running, {
      isolation: { ...isolation, ...(reachable.length > 0 && { host_sockets: reachable }) },
    })
  } catch (error) {
    const isCancelled = error instanceof SkillsError && error.code === 'run/cancelled'
    if (isCancelled || request.signal?.aborted) throw error
    return undefined
  }
}

function chooseGuestKind(request: SandboxRequest): GuestKind {
  if (request.guest.kind !== 'program') return 'code'
  return chooseStdin(request) === 'pipe' ? 'program with input' : 'program'
}

/** Languages whose harness is the fork itself; Python's entry names none. */
const HARNESS_LANGUAGES: ReadonlySet<string | undefined> = new Set([undefined, 'shell'])

/**
 * Plans how a fork gets its address-space layout. A program, and the interpreter of another
 * language, is executed and so has its own. The harness of Python and of shell scripts has that of
 * the zygote, unless the fork executes its interpreter again.
 */
function planMemoryLayout(
  { guest, ownMemoryLayout }: SandboxRequest,
  interpreter: Interpreter,
): { kind: Isolation['memory_layout']; command?: readonly string[] } {
  if (guest.kind !== 'function') return { kind: 'own' }
  const { language } = guest.job['entry'] as { language?: string }
  if (!HARNESS_LANGUAGES.has(language)) return { kind: 'own' }
  if (!ownMemoryLayout) return { kind: 'shared' }
  return { kind: 'own', command: buildHarnessCommand(interpreter) }
}

function describeWarmGuest(
  request: SandboxRequest,
  fork: IdleFork,
  staged: WarmStagedFiles,
): StartedGuest {
  const { guest, pid, group } = fork
  return {
    stdout: guest.stdout,
    stderr: guest.stderr,
    stdin: guest.stdin,
    control: guest.control,
    channel: guest.channel,
    init: Promise.resolve(pid),
    dead: guest.dead,
    exitReport: () => guest.exitReport,
    killAll: () => guest.kill(),
    // It is in its group already.
    group: group && { ...group, add: async () => {} },
    hasLowPriority: request.hasLowPriority === true,
    limits: request.limits,
    ownFileSystems: OWN_FILE_SYSTEMS,
    procfs: '/proc',
    remove: () => staged.remove(),
    keepIn: request.keepIn,
  }
}

/** Plans the mounts of the run's files, by their paths in the zygote. */
function planMounts(
  request: SandboxRequest,
  {
    folder,
    mounts: folders,
    interpreter,
    grouped,
  }: WarmZygote & { interpreter: Interpreter; grouped: boolean },
  staged: WarmStagedFiles,
): GuestMountStep[] {
  const toZygotePath = (each: { name: string; path: string }) => ({
    name: each.name,
    path: mapStagedPath(folder, each.path),
  })
  const mapMount = ({ source, target }: ZygoteMount) => ({
    source: mapIntoZygote(folders, source) ?? source,
    target,
  })
  return planRunMounts(request.limits, {
    skills: staged.skills.map(toZygotePath),
    blobs: staged.blobs.map(toZygotePath),
    code: staged.code && mapStagedPath(folder, staged.code),
    tools: selectOtherTools(request, interpreter).map(mapMount),
    hidden: (request.hidden ?? []).map((each) => ({ ...each, kept: each.kept.map(mapMount) })),
    guest: GUEST_IN_ZYGOTE,
    grouped,
  })
}

function describeWarmIsolation(
  zygote: Zygote,
  {
    inside,
    memoryLayout,
    limits,
  }: {
    inside: ReadyGuest
    memoryLayout: Isolation['memory_layout']
    limits: Isolation['limits']
  },
): Isolation {
  const namespaces = ['mount', 'pid', 'network', 'ipc', 'uts', 'cgroup']
  return {
    backend: zygote.backend,
    path: 'warm',
    reason: WARM_REASON,
    memory_layout: memoryLayout,
    tier: limits['memory']?.startsWith('cgroup') ? 'strict' : 'weak',
    namespaces: zygote.assignsRunUids && !inside.own_users ? namespaces : ['user', ...namespaces],
    user: inside.uid,
    seccomp: true,
    landlock: inside.landlock === true,
    network: 'none',
    limits: { ...limits, ...describeNetworkLimit('none') },
  }
}

/** Selects the tools that are not mounted in every run of the interpreter. */
function selectOtherTools(
  { tools = [] }: Pick<SandboxRequest, 'tools'>,
  interpreter: Interpreter,
): readonly ZygoteMount[] {
  const mounted = [{ source: '/usr', target: '/usr' }, ...interpreter.mounts]
  return tools.filter(
    ({ source, target }) =>
      !mounted.some((each) => each.source === source && each.target === target),
  )
}

/** Lists the folders of the host whose sockets the run can reach. */
function listReachable(
  request: SandboxRequest,
  { folder, interpreter }: WarmZygote & { interpreter: Interpreter },
  inside: ReadyGuest,
): string[] {
  const mounts = [
    ...planSystemMounts(folder, interpreter),
    ...selectOtherTools(request, interpreter).map((each) => ({ kind: 'bind', ...each }) as const),
  ]
  return listReachableFolders(mounts, inside, [folder.staged])
}
