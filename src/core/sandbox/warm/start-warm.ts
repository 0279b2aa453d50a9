import { SkillsError } from '../../../errors.ts'
import type { Interpreter, SandboxProcess, SandboxRequest } from '../backend.ts'
import { groupLimits } from '../cgroups/cgroup.ts'
import { guestJob, INSIDE, inputOf } from '../guest-host/guest-job.ts'
import { guestLimits } from '../guest-host/guest-limits.ts'
import { GuestProcess, type StartedGuest } from '../guest-host/guest-process.ts'
import type { KillBarrier } from '../guest-host/kill-barrier.ts'
import type { Isolation } from '../isolation.ts'
import { OWN_FILE_SYSTEMS, ownMounts } from '../rootfs/mounts.ts'
import { withoutGroups } from '../unavailable.ts'
import type { LeafKind } from './leaf.ts'
import { WARM_REASON } from './path.ts'
import type { Spare } from './spares.ts'
import { stageRun, type RunStage } from './stage-run.ts'
import { seenAt, type SeenFolder } from './tool-folders.ts'
import type { Warm } from './warm-sandboxes.ts'
import type { Zygote } from './zygote.ts'
import { insideZygote, type LeafStep } from './zygote-arguments.ts'

/** In which a run that is over is recorded and answered. */
const ANSWERED_MS = 3

/**
 * Runs in a fork of the zygote. Undefined where nothing of the run has begun and nothing will: whoever
 * called may start it in another way. From the moment on that the guest says it has its job, how it
 * ends is how the run ends.
 */
export async function startWarm(
  request: SandboxRequest,
  warm: Warm,
  { interpreter, killed }: { interpreter: Interpreter; killed: KillBarrier },
): Promise<SandboxProcess | undefined> {
  const kind = kindOf(request)
  const spare = await warm.spares.take(request.limits, kind)
  if (!spare) return undefined
  const { group, leaf } = spare
  let staged: RunStage
  try {
    if (request.strict && !group) throw withoutGroups()
    staged = stageRun(request, warm.folder.staged, warm.skills)
  } catch (error) {
    warm.spares.discard(spare)
    throw error
  }
  const running = new GuestProcess(guestOf(request, spare, staged), killed)
  // Of a workspace that is kept, the folder is looked for before the job.
  leaf.layOut(stepsFor(request, warm, staged), { isWithJob: request.keepIn === undefined })
  const limits = guestLimits(request.limits, { grouped: group !== undefined, countsUsers: true })
  running.begin(undefined, () =>
    guestJob(request, { folders: INSIDE, packages: interpreter.packages, limits }),
  )
  // Not before: whoever makes the next one takes processor time from this one, and from its answer.
  const refill = () => setTimeout(() => warm.spares.refill(request.limits, kind), ANSWERED_MS)
  void running.exited.finally(refill).catch(() => {})
  try {
    const inside = await running.ready
    const where = { ...limits.where, ...groupLimits(group) }
    return Object.assign(running, { isolation: isolationOf(warm.zygote, inside.uid, where) })
  } catch (error) {
    const isEnded = error instanceof SkillsError && error.code === 'run/cancelled'
    if (isEnded || request.signal?.aborted) throw error
    return undefined
  }
}

function kindOf(request: SandboxRequest): LeafKind {
  if (request.program === undefined) return 'code'
  return inputOf(request) === 'pipe' ? 'program with input' : 'program'
}

function guestOf(request: SandboxRequest, spare: Spare, staged: RunStage): StartedGuest {
  const { leaf, pid, group } = spare
  return {
    stdout: leaf.stdout,
    stderr: leaf.stderr,
    stdin: leaf.stdin,
    control: leaf.control,
    channel: leaf.channel,
    init: Promise.resolve(pid),
    dead: leaf.dead,
    lastWords: () => leaf.lastWords,
    killAll: () => leaf.kill(),
    // It is in its group already.
    group: group && { ...group, add: async () => {} },
    limits: request.limits,
    ownFileSystems: OWN_FILE_SYSTEMS,
    remove: () => staged.remove(),
    keepIn: request.keepIn,
  }
}

/** What the run was granted, at the places where the zygote sees it. */
function stepsFor(
  request: SandboxRequest,
  { folder, seen: folders }: Warm,
  staged: RunStage,
): LeafStep[] {
  const seen = (each: { name: string; path: string }) => ({
    name: each.name,
    path: insideZygote(folder, each.path),
  })
  return ownMounts(request.limits, {
    skills: staged.skills.map(seen),
    blobs: staged.blobs.map(seen),
    code: staged.code && insideZygote(folder, staged.code),
    // What the interpreter itself needs is there already.
    tools: (request.tools ?? [])
      .filter((tool) => !folders.some((each) => isSame(each, tool)))
      .map(({ source, target }) => ({ source: seenAt(folders, source) ?? source, target })),
  })
}

function isolationOf(zygote: Zygote, user: number, limits: Isolation['limits']): Isolation {
  const own = ['mount', 'pid', 'network', 'ipc', 'uts', 'cgroup']
  return {
    backend: 'bubblewrap',
    path: 'warm',
    reason: WARM_REASON,
    tier: limits['memory']?.startsWith('cgroup') ? 'strict' : 'weak',
    // Where root hands out a user for each run, those of all runs lie in the zygote's namespace.
    namespaces: zygote.handsOutUsers ? own : ['user', ...own],
    user,
    seccomp: true,
    network: 'none',
    limits,
  }
}

function isSame(a: SeenFolder, b: SeenFolder): boolean {
  return a.source === b.source && a.target === b.target
}
