import { SkillsError } from '../../../errors.ts'
import type { Interpreter, SandboxProcess, SandboxRequest } from '../backend.ts'
import { describeGroupLimits } from '../cgroups/cgroup.ts'
import { buildGuestJob, GUEST_FOLDERS, chooseStdin } from '../guest-host/guest-job.ts'
import { computeGuestLimits } from '../guest-host/guest-limits.ts'
import { GuestProcess, type StartedGuest } from '../guest-host/guest-process.ts'
import type { KillBarrier } from '../guest-host/kill-barrier.ts'
import type { Isolation } from '../isolation.ts'
import { OWN_FILE_SYSTEMS, runMounts } from '../rootfs/mounts.ts'
import { noControlGroupError } from '../start-errors.ts'
import type { GuestKind } from './forked-guest.ts'
import { WARM_REASON } from './path.ts'
import type { IdleFork } from './fork-pool.ts'
import { stageWarmRun, type WarmStagedFiles } from './stage-warm-run.ts'
import { mapIntoZygote, type ZygoteMount } from './tool-folders.ts'
import type { WarmZygote } from './warm-sandboxes.ts'
import type { Zygote } from './zygote.ts'
import { mapStagedPath, type GuestMountStep } from './zygote-arguments.ts'

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
  { interpreter, killed }: { interpreter: Interpreter; killed: KillBarrier },
): Promise<SandboxProcess | undefined> {
  const kind = chooseGuestKind(request)
  const spare = await warm.forks.take(request.limits, kind)
  if (!spare) return undefined
  const { group, leaf } = spare
  let staged: WarmStagedFiles
  try {
    if (request.strict && !group) throw noControlGroupError()
    staged = stageWarmRun(request, warm.folder.staged, warm.skills)
  } catch (error) {
    warm.forks.discard(spare)
    throw error
  }
  const running = new GuestProcess(describeWarmGuest(request, spare, staged), killed)
  // A workspace that is copied must be opened before the job is sent, so its mounts must exist
  // earlier.
  leaf.sendMountPlan(planMounts(request, warm, staged), { isWithJob: request.keepIn === undefined })
  const limits = computeGuestLimits(request.limits, {
    grouped: group !== undefined,
    countsUsers: true,
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
    const isEnded = error instanceof SkillsError && error.code === 'run/cancelled'
    if (isEnded || request.signal?.aborted) throw error
    return undefined
  }
}

function chooseGuestKind(request: SandboxRequest): GuestKind {
  if (request.program === undefined) return 'code'
  return chooseStdin(request) === 'pipe' ? 'program with input' : 'program'
}

function describeWarmGuest(
  request: SandboxRequest,
  spare: IdleFork,
  staged: WarmStagedFiles,
): StartedGuest {
  const { leaf, pid, group } = spare
  return {
    stdout: leaf.stdout,
    stderr: leaf.stderr,
    stdin: leaf.stdin,
    control: leaf.control,
    channel: leaf.channel,
    init: Promise.resolve(pid),
    dead: leaf.dead,
    exitReport: () => leaf.exitReport,
    killAll: () => leaf.kill(),
    // It is in its group already.
    group: group && { ...group, add: async () => {} },
    limits: request.limits,
    ownFileSystems: OWN_FILE_SYSTEMS,
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
  const seen = (each: { name: string; path: string }) => ({
    name: each.name,
    path: mapStagedPath(folder, each.path),
  })
  return runMounts(request.limits, {
    skills: staged.skills.map(seen),
    blobs: staged.blobs.map(seen),
    code: staged.code && mapStagedPath(folder, staged.code),
    // The interpreter's own folders are mounted already.
    tools: (request.tools ?? [])
      .filter((tool) => !folders.some((each) => isSameFolder(each, tool)))
      .map(({ source, target }) => ({ source: mapIntoZygote(folders, source) ?? source, target })),
  })
}

function describeWarmIsolation(
  zygote: Zygote,
  user: number,
  limits: Isolation['limits'],
): Isolation {
  const own = ['mount', 'pid', 'network', 'ipc', 'uts', 'cgroup']
  return {
    backend: 'bubblewrap',
    path: 'warm',
    reason: WARM_REASON,
    tier: limits['memory']?.startsWith('cgroup') ? 'strict' : 'weak',
    // With root, the user ids of all runs belong to the user namespace of the zygote.
    namespaces: zygote.assignsRunUids ? own : ['user', ...own],
    user,
    seccomp: true,
    network: 'none',
    limits,
  }
}

function isSameFolder(a: ZygoteMount, b: ZygoteMount): boolean {
  return a.source === b.source && a.target === b.target
}
