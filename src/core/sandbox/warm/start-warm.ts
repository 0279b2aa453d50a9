import { SkillsError } from '../../../errors.ts'
import type { Interpreter, SandboxProcess, SandboxRequest } from '../backend.ts'
import { describeGroupLimits } from '../cgroups/cgroup.ts'
import { buildGuestJob, GUEST_FOLDERS, chooseStdin } from '../guest-host/guest-job.ts'
import { computeGuestLimits } from '../guest-host/guest-limits.ts'
import { GuestProcess, type StartedGuest } from '../guest-host/guest-process.ts'
import type { KillBarrier } from '../guest-host/kill-barrier.ts'
import type { Isolation } from '../isolation.ts'
import { OWN_FILE_SYSTEMS, planRunMounts } from '../rootfs/mounts.ts'
import { noControlGroupError } from '../start-errors.ts'
import type { GuestKind } from './forked-guest.ts'
import { WARM_REASON } from './sandbox-start.ts'
import type { IdleFork } from './fork-pool.ts'
import { stageWarmRun, type WarmStagedFiles } from './stage-warm-run.ts'
import { mapIntoZygote, type ZygoteMount } from './tool-folders.ts'
import type { WarmZygote } from './warm-sandboxes.ts'
import type { Zygote } from './zygote.ts'
import { mapStagedPath, type GuestMountStep } from './zygote-mounts.ts'

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
  // A workspace that is copied must be opened before the job is sent, so its mounts must exist
  // earlier.
  guest.sendMountPlan(planMounts(request, warm, staged), {
    isWithJob: request.keepIn === undefined,
  })
  const limits = computeGuestLimits(request.limits, {
    grouped: group !== undefined,
    countsUsers: true,
    countsMemory: true,
  })
  running.start(undefined, () =>
    buildGuestJob(request, { folders: GUEST_FOLDERS, packages: interpreter.packages, limits }),
  )
  // Creating the next fork earlier would compete with this run and its response for the processor.
  const refill = () => setTimeout(() => warm.forks.refill(request.limits, kind), REFILL_DELAY_MS)
  void running.exited.finally(refill).catch(() => {})
  try {
    const inside = await running.ready
    const where = { ...limits.where, ...describeGroupLimits(group) }
    return Object.assign(running, {
      isolation: describeWarmIsolation(warm.zygote, inside.uid, where),
    })
  } catch (error) {
    const isCancelled = error instanceof SkillsError && error.code === 'run/cancelled'
    if (isCancelled || request.signal?.aborted) throw error
    return undefined
  }
}

function chooseGuestKind(request: SandboxRequest): GuestKind {
  if (request.program === undefined) return 'code'
  return chooseStdin(request) === 'pipe' ? 'program with input' : 'program'
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
  { folder, mounts: folders }: WarmZygote,
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
    // The interpreter's own folders are mounted already.
    tools: (request.tools ?? [])
      .filter((tool) => !folders.some((each) => isSameFolder(each, tool)))
      .map(mapMount),
    hidden: (request.hidden ?? []).map((each) => ({ ...each, kept: each.kept.map(mapMount) })),
    guest: '/guest',
  })
}

function describeWarmIsolation(
  zygote: Zygote,
  user: number,
  limits: Isolation['limits'],
): Isolation {
  const namespaces = ['mount', 'pid', 'network', 'ipc', 'uts', 'cgroup']
  return {
    backend: zygote.backend,
    path: 'warm',
    reason: WARM_REASON,
    tier: limits['memory']?.startsWith('cgroup') ? 'strict' : 'weak',
    // With root, the user ids of all runs belong to the user namespace of the zygote.
    namespaces: zygote.assignsRunUids ? namespaces : ['user', ...namespaces],
    user,
    seccomp: true,
    network: 'none',
    limits,
  }
}

function isSameFolder(a: ZygoteMount, b: ZygoteMount): boolean {
  return a.source === b.source && a.target === b.target
}
