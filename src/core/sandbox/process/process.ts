import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SkillsError } from '../../../errors.ts'
import type { Backend, Interpreter, SandboxProcess, SandboxRequest } from '../backend.ts'
import { groupLimits, makeControlGroup, sweepControlGroups } from '../cgroups/cgroup.ts'
import type { ControlGroup } from '../cgroups/control-group.ts'
import { streamOf } from '../guest-host/child-streams.ts'
import { comeUp, startOrAgain } from '../bubblewrap/come-up.ts'
import { guestJob, INSIDE, inputOf } from '../guest-host/guest-job.ts'
import { guestLimits } from '../guest-host/guest-limits.ts'
import { GuestProcess, type StartedGuest } from '../guest-host/guest-process.ts'
import { KillBarrier } from '../guest-host/kill-barrier.ts'
import type { Isolation } from '../isolation.ts'
import { hostPath } from '../../languages/host-path.ts'
import { movePaths } from './move-paths.ts'
import { layOutFolders, type ProcessFolders } from './process-folders.ts'
import { killSession, killTree } from '../../../util/process-tree.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'
import { spawnGuest } from '../guest-host/spawn-guest.ts'
import { sweepStages } from '../rootfs/stage.ts'
import { notUsable } from '../unavailable.ts'

/** Descriptors as the guest knows them; those before are of no use here. */
const CONTROL = 6
const CHANNEL = 7

/** A process of the host with an environment and limits of its own, and nothing else. */
const PROCESS = {
  name: 'process',
  summary: 'No isolation: an environment and resource limits of its own, nothing else',
  promises: {
    tier: 'none',
    isolates: {
      files: false,
      network: false,
      processes: false,
      user: false,
      'system calls': false,
    },
    filtersNetwork: false,
    limits: {
      time: 'run',
      cpu: 'each process',
      memory: 'each process',
      processes: 'where control groups allow',
      'open files': 'each process',
      disk: 'each file',
      output: 'run',
    },
  },
  notes: [
    'This run is NOT isolated (backend "process"): it can read and change whatever this user can, ' +
      'and reach any network',
  ],
  probe: async () =>
    process.platform === 'linux'
      ? { ok: true, detail: 'only where it is asked for: it isolates nothing' }
      : { ok: false, detail: `not on ${process.platform}` },
} satisfies Omit<Backend, 'start'>

/** The backend for one runtime. */
export function openProcess(): Backend {
  const killed = new KillBarrier()
  return { ...PROCESS, start: async (request) => await start(request, killed) }
}

async function start(request: SandboxRequest, killed: KillBarrier): Promise<SandboxProcess> {
  if (process.platform !== 'linux') {
    throw notUsable(`There is no backend "process" on ${process.platform}`, 'Run it on Linux')
  }
  if ((request.folders ?? []).length > 0) throw cannotMount()
  const interpreter = await request.interpreter()
  const once = async () => await startOnce(request, interpreter, killed)
  return await startOrAgain(request.signal, once)
}

async function startOnce(
  request: SandboxRequest,
  interpreter: Interpreter,
  killed: KillBarrier,
): Promise<SandboxProcess> {
  sweepStages()
  sweepControlGroups()
  const folders = layOutFolders(request, interpreter)
  const group = makeControlGroup(request.id, request.limits)
  try {
    const executable = hostPath(interpreter, interpreter.executable)
    const child = spawnGuest([executable, ...PYTHON_FLAGS, join(folders.guest, 'init.py')], {
      env: {},
      cwd: folders.inside.workspace,
      detached: true,
      stdio: [inputOf(request), 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    })
    const running = new GuestProcess(guestOf(child, { request, folders, group }), killed)
    // Processes of this user that are none of the run would count as well.
    const limits = guestLimits(request.limits, { grouped: group !== undefined, countsUsers: false })
    running.begin('unconfined', () =>
      guestJob(onHost(request, folders, interpreter), {
        folders: folders.inside,
        packages: interpreter.packages.map((path) => hostPath(interpreter, path)),
        limits,
      }),
    )
    const { uid } = await comeUp(running, child, request.limits)
    return Object.assign(running, { isolation: isolationOf(uid, limits.where, group) })
  } catch (error) {
    await group?.remove()
    folders.remove()
    throw error
  }
}

function guestOf(
  child: ChildProcess,
  own: { request: SandboxRequest; folders: ProcessFolders; group: ControlGroup | undefined },
): StartedGuest {
  const { pid } = child
  const exit = new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    child.on('exit', () => resolve())
  })
  return {
    stdout: streamOf(child, 1),
    stderr: streamOf(child, 2),
    stdin: child.stdin ?? undefined,
    control: streamOf(child, CONTROL),
    channel: streamOf(child, CHANNEL),
    init: pid === undefined ? new Promise(() => {}) : Promise.resolve(pid),
    dead: exit.then(async () => await endSession(pid)),
    killAll: () => {
      if (pid !== undefined && child.exitCode === null && child.signalCode === null) killTree(pid)
    },
    group: own.group,
    limits: own.request.limits,
    ownFileSystems: [],
    disk: own.request.workspace && [own.folders.inside.workspace],
    workspace: () => own.folders.inside.workspace,
    remove: () => own.folders.remove(),
    keepIn: own.request.keepIn,
  }
}

/** Nothing is mounted here: what a sandbox calls /workspace has another name. */
function onHost(
  request: SandboxRequest,
  { inside, code, guest }: ProcessFolders,
  interpreter: Interpreter,
): SandboxRequest {
  const { program, tools = [] } = request
  if (!program) return { ...request, job: jobOnHost(request.job, tools) }
  const places = new Map([
    ...[...interpreter.mounts, ...tools].map(({ source, target }) => [target, source] as const),
    [INSIDE.workspace, inside.workspace],
    ['/code', code ?? '/code'],
    ['/guest', guest],
  ])
  const env = Object.entries(program.env).map(
    ([name, value]) => [name, movePaths(value, places)] as const,
  )
  return {
    ...request,
    program: {
      ...program,
      argv: program.argv.map((word) => movePaths(word, places)),
      cwd: movePaths(program.cwd, places),
      env: Object.fromEntries(env),
    },
  }
}

/** The harness is told where the packages of its skills lie. */
function jobOnHost(
  job: SandboxRequest['job'],
  tools: readonly { source: string; target: string }[],
): SandboxRequest['job'] {
  const { dependencies, env } = job
  if (!Array.isArray(dependencies)) return job
  const places = new Map(tools.map(({ source, target }) => [target, source] as const))
  const move = (value: unknown) => (typeof value === 'string' ? movePaths(value, places) : '')
  const { PYTHONPATH, ...others } = env as Record<string, string>
  return {
    ...job,
    dependencies: dependencies.map(move),
    env: { ...others, PYTHONPATH: move(PYTHONPATH) },
  }
}

function cannotMount(): SkillsError {
  return notUsable(
    'The backend "process" cannot give folders to a run: it mounts nothing',
    'Choose the backend bubblewrap or container',
  )
}

/** Where a skill ended the first process, which would have ended the others. */
async function endSession(leader: number | undefined): Promise<void> {
  if (leader === undefined) return
  while (killSession(leader)) await sleep(1)
}

function isolationOf(
  user: number,
  where: Record<string, string>,
  group: ControlGroup | undefined,
): Isolation {
  return {
    backend: 'process',
    path: 'cold',
    reason: 'other backend',
    tier: 'none',
    namespaces: [],
    user,
    seccomp: false,
    network: 'host',
    limits: { ...where, workspace: 'rlimit, each file', ...groupLimits(group), inodes: 'none' },
  }
}
