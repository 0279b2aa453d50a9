import type { ChildProcess } from 'node:child_process'
import { release } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_PATH, findProgram } from '../../../util/find-program.ts'
import { lazily } from '../../../util/lazily.ts'
import type { Backend, Interpreter, Probe, SandboxProcess, SandboxRequest } from '../backend.ts'
import type { Isolation } from '../isolation.ts'
import { bubblewrapArguments, FDS, guestCommand } from './bubblewrap-arguments.ts'
import { groupLimits, makeControlGroup, sweepControlGroups } from '../cgroups/cgroup.ts'
import type { ControlGroup } from '../cgroups/control-group.ts'
import { ended, streamOf } from '../guest-host/child-streams.ts'
import { comeUp, startOrAgain } from './come-up.ts'
import { checkFolders, giveFolders, type GivenFolders } from '../rootfs/given-folders.ts'
import { firstProcess } from './first-process.ts'
import { guestJob, INSIDE, inputOf } from '../guest-host/guest-job.ts'
import { guestLimits } from '../guest-host/guest-limits.ts'
import { GuestProcess, type StartedGuest } from '../guest-host/guest-process.ts'
import { KillBarrier } from '../guest-host/kill-barrier.ts'
import { giveCommand, OwnableDisks } from '../rootfs/owned-folders.ts'
import { userOfRun } from '../guest-host/guest-user.ts'
import { killProcess } from '../../../util/kill-process.ts'
import { OWN_FILE_SYSTEMS } from '../rootfs/mounts.ts'
import { endOrphans, isOrphan } from './orphans.ts'
import { takeListeners } from './pass-listeners.ts'
import { encodeFilter, filterFor } from '../seccomp/seccomp.ts'
import { spawnGuest } from '../guest-host/spawn-guest.ts'
import { stage, sweepStages, type Stage } from '../rootfs/stage.ts'
import { SYSTEM_CALLS, type SystemCalls } from '../seccomp/system-calls.ts'
import { didNotStart, notUsable, withoutGroups } from '../unavailable.ts'
import { choosePath } from '../warm/choose-path.ts'
import type { ColdReason } from '../warm/path.ts'
import type { WarmSandboxes } from '../warm/warm-sandboxes.ts'

/** What a folder that stays may hold is seen by looking. */
const LOOKED_AT = { workspace: 'runtime', inodes: 'runtime' }
/** How long bwrap may take to make the first process. */
const SILENT_MS = 2000
const LOOK_MS = 5

/** A sandbox by bubblewrap: user code is never the host's root, has no network and no capability. */
const BUBBLEWRAP = {
  name: 'bubblewrap',
  summary: 'Namespaces and a system call filter, by bubblewrap',
  promises: {
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
  probe,
} as const

/** What the backend of one runtime remembers between runs. */
interface Own {
  pool: WarmSandboxes | undefined
  readonly killed: KillBarrier
  readonly disks: OwnableDisks
}

/** The backend for one runtime. */
export function openBubblewrap(): Backend {
  const own: Own = { pool: undefined, killed: new KillBarrier(), disks: new OwnableDisks() }
  return {
    ...BUBBLEWRAP,
    start: async (request) => await start(request, own),
    async keepWarm(options) {
      const { WarmSandboxes: Pool } = await import('../warm/warm-sandboxes.ts')
      return (own.pool ??= new Pool(options))
    },
  }
}

async function probe(env: SandboxRequest['env']): Promise<Probe> {
  const program = findProgram('bwrap', env['PATH'] ?? DEFAULT_PATH)
  if (!program) return { ok: false, detail: 'bubblewrap is not installed' }
  if (!SYSTEM_CALLS[process.arch]) return { ok: false, detail: `no filter for ${process.arch}` }
  return { ok: true, detail: program }
}

const warmPath = lazily(async () => await import('../warm/start-warm.ts'))

async function start(request: SandboxRequest, own: Own): Promise<SandboxProcess> {
  const interpreter = await request.interpreter()
  const cold = async (reason: ColdReason) =>
    await startOrAgain(
      request.signal,
      async () => await startOnce(request, { ...own, interpreter, reason }),
    )
  const chosen = choosePath(own.pool, request, interpreter)
  if (typeof chosen === 'string') return await cold(chosen)
  const { startWarm } = await warmPath()
  const started = await startWarm(request, chosen, { interpreter, killed: own.killed })
  // Nothing of it has begun.
  return started ?? (await cold('did not start'))
}

async function startOnce(
  request: SandboxRequest,
  { interpreter, reason, killed, disks }: Own & { interpreter: Interpreter; reason: ColdReason },
): Promise<SandboxProcess> {
  const { program, calls } = partsFor(request.env)
  sweepStages()
  sweepControlGroups()
  const asRoot = process.getuid?.() === 0
  const checked = checkFolders(request, asRoot)
  const user = asRoot ? (checked.user ?? userOfRun()) : undefined
  const staged = stage(request, user ?? 1000, interpreter.compiled)
  const group = makeGroup(request, staged)
  try {
    const ownership = { interpreter, disks }
    const given = await giveFolders(request, checked, { staged, user, ownership })
    const command = [...giveCommand(given.owned, staged, interpreter), program]
    const child = spawnBubblewrap(command, interpreter, request)
    const guest = guestOf(child, { request, staged, group, given })
    const running = new GuestProcess(guest, killed)
    streamOf(child, FDS.args).end(
      bubblewrapArguments(request, staged, { interpreter, asRoot, given })
        .map((word) => `${word}\0`)
        .join(''),
    )
    streamOf(child, FDS.seccomp).end(encodeFilter(filterFor(calls)))
    const limits = guestLimits(request.limits, {
      grouped: group !== undefined,
      countsUsers: asRoot || kernelCountsByNamespace(),
    })
    running.begin(user === undefined ? 'itself' : { user }, () =>
      guestJob(request, { folders: INSIDE, packages: interpreter.packages, limits }),
    )
    const inside = await comeUp(running, child, request.limits)
    void guest.dead.then(() => request.network?.close())
    return Object.assign(running, {
      isolation: isolationOf(inside, {
        asRoot,
        reason,
        folders: given.told,
        where: { ...limits.where, ...groupLimits(group), ...whereOf(given) },
        network: request.network ? 'filtered' : 'none',
      }),
    })
  } catch (error) {
    await group?.remove()
    staged.remove()
    throw error
  }
}

function partsFor(env: SandboxRequest['env']): { program: string; calls: SystemCalls } {
  const program = findProgram('bwrap', env['PATH'] ?? DEFAULT_PATH)
  const calls = SYSTEM_CALLS[process.arch]
  if (!program) {
    throw notUsable('Bubblewrap is not installed', 'Type "skills doctor --fix" to install it')
  }
  if (!calls) throw didNotStart(process.arch)
  return { program, calls }
}

/** Before anything of the skill is started. */
function makeGroup(
  { id, limits, strict }: SandboxRequest,
  staged: Stage,
): ControlGroup | undefined {
  const group = makeControlGroup(id, limits)
  if (group || !strict) return group
  staged.remove()
  throw withoutGroups()
}

function spawnBubblewrap(
  before: readonly string[],
  interpreter: Interpreter,
  request: Pick<SandboxRequest, 'network' | 'program'>,
): ChildProcess {
  const { network } = request
  const words = [...before, '--args', String(FDS.args), '--', ...guestCommand(interpreter)]
  const child = spawnGuest(words, {
    // bwrap's own environment can be read from inside, and a terminal's Ctrl-C is ours to handle.
    env: {},
    cwd: '/',
    detached: true,
    stdio: [
      inputOf(request),
      'pipe',
      'pipe',
      ...Array.from({ length: 5 }, () => 'pipe' as const),
      ...(network ? ['ipc' as const] : []),
    ],
  })
  if (network) takeListeners(child, network)
  return child
}

function guestOf(
  child: ChildProcess,
  own: {
    request: SandboxRequest
    staged: Stage
    group: ControlGroup | undefined
    given: GivenFolders
  },
): StartedGuest {
  let init: number | undefined
  const told = firstProcess(streamOf(child, FDS.info)).then((pid) => (init = pid))
  let isAwaited = false
  const killAll = () => {
    if (init !== undefined) return killInit(child, init)
    if (!isAwaited) killIfSilent(child, told)
    isAwaited = true
  }
  const exit = new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    child.on('exit', () => resolve())
  })
  return {
    stdout: streamOf(child, 1),
    stderr: streamOf(child, 2),
    stdin: child.stdin ?? undefined,
    control: streamOf(child, FDS.control),
    channel: streamOf(child, FDS.channel),
    init: told,
    dead: exit.then(async () => await endRest(child, told)),
    killAll,
    group: own.group && { ...own.group, add: async (pid) => await addTo(own.group, pid, child) },
    limits: own.request.limits,
    ownFileSystems: [
      ...OWN_FILE_SYSTEMS.filter(
        (folder) => folder !== INSIDE.workspace || own.given.workspace === undefined,
      ),
      ...own.given.inMemory,
    ],
    disk: own.given.watched,
    remove: () => {
      for (const fd of [FDS.args, FDS.seccomp, FDS.info]) streamOf(child, fd).destroy()
      own.staged.remove()
    },
    keepIn: own.request.keepIn,
    network: own.request.network,
  }
}

/** What is dead needs no limits: its group may be gone as well. */
async function addTo(group: ControlGroup | undefined, pid: number, child: ChildProcess) {
  try {
    await group?.add(pid)
  } catch (error) {
    if (!hasEnded(child)) throw error
  }
}

/** PID 1 first: bwrap ends only after the kernel has ended all that is below it. */
function killInit(child: ChildProcess, init: number): void {
  if (hasEnded(child)) return
  try {
    process.kill(init, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/**
 * Until bwrap has told the number of PID 1, which is then killed at once, it is left to come that
 * far: killed before, it could leave a child that waits for it for ever.
 */
function killIfSilent(child: ChildProcess, told: Promise<number>): void {
  if (hasEnded(child)) return
  const timer = setTimeout(() => child.kill('SIGKILL'), SILENT_MS)
  void told.then(() => clearTimeout(timer))
  child.once('exit', () => clearTimeout(timer))
}

/** Whoever ends bwrap itself leaves its child, which may have become another user and outlives it. */
async function endRest(child: ChildProcess, told: Promise<number>): Promise<void> {
  if (child.signalCode === null) return
  endOrphans()
  const init = await Promise.race([told, ended(streamOf(child, FDS.info))])
  if (init !== undefined) await endOrphan(init)
}

async function endOrphan(init: number): Promise<void> {
  while (isOrphan(init)) {
    killProcess(init)
    await sleep(LOOK_MS)
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

function whereOf({ workspace }: GivenFolders): Record<string, string> {
  return workspace === undefined ? {} : LOOKED_AT
}

function isolationOf(
  inside: { uid: number },
  known: {
    asRoot: boolean
    reason: ColdReason
    where: Record<string, string>
    network: Isolation['network']
    folders: Isolation['folders']
  },
): Isolation {
  const { asRoot, reason, where, network, folders } = known
  const shared = ['mount', 'pid', 'network', 'ipc', 'uts', 'cgroup']
  return {
    backend: 'bubblewrap',
    path: 'cold',
    reason,
    tier: where['memory']?.startsWith('cgroup') ? 'strict' : 'weak',
    namespaces: asRoot ? shared : ['user', ...shared],
    user: inside.uid,
    seccomp: true,
    network,
    ...(folders && { folders }),
    limits: where,
  }
}

/** Since 5.14 processes are counted for each user namespace, not for the user on the whole host. */
function kernelCountsByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 5 || (major === 5 && minor >= 14)
}
