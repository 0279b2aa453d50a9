import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SkillsError } from '../../../errors.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { Backend, Interpreter, SandboxProcess, SandboxRequest } from '../backend.ts'
import { describeGroupLimits, createControlGroup, sweepControlGroups } from '../cgroups/cgroup.ts'
import type { ControlGroup } from '../cgroups/control-group.ts'
import { getChildStream } from '../guest-host/child-streams.ts'
import { waitUntilReady, startWithOneRetry } from '../linux/wait-until-ready.ts'
import { buildGuestJob, GUEST_FOLDERS, chooseStdin } from '../guest-host/guest-job.ts'
import { describeNetworkLimit } from '../network-limit.ts'
import { computeGuestLimits, selectWatchedLimits } from '../guest-host/guest-limits.ts'
import { GuestProcess, type StartedGuest } from '../guest-host/guest-process.ts'
import { KillBarrier } from '../guest-host/kill-barrier.ts'
import type { Isolation } from '../isolation.ts'
import { resolveHostPath } from '../../languages/host-path.ts'
import { rewritePaths, rewriteProgram } from './rewrite-paths.ts'
import { createProcessFolders, type ProcessFolders } from './process-folders.ts'
import { killSession, killTree } from '../../../util/process-tree.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'
import { spawnGuest } from '../guest-host/spawn-guest.ts'
import { sweepStagingFolders } from '../rootfs/stage-files.ts'
import { backendUnusableError } from '../start-errors.ts'

/** File descriptors as the guest knows them; lower ones serve other backends. */
const CONTROL_FD = 6
const CHANNEL_FD = 7

/** Runs a plain host process with its own environment and limits, without isolation. */
const PROCESS_BACKEND = {
  name: 'process',
  summary: 'No isolation: only its own environment and resource limits',
  guarantees: {
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
      ? { ok: true, detail: 'only if it is selected by name: it isolates nothing' }
      : { ok: false, detail: `not on ${process.platform}` },
} satisfies Omit<Backend, 'start'>

/** Opens the backend of one runtime. */
export function openProcessBackend(): Backend {
  const killBarrier = new KillBarrier()
  return { ...PROCESS_BACKEND, start: async (request) => await startProcess(request, killBarrier) }
}

async function startProcess(
  request: SandboxRequest,
  killBarrier: KillBarrier,
): Promise<SandboxProcess> {
  if (process.platform !== 'linux') {
    throw backendUnusableError(
      `The backend "process" is not available on ${process.platform}`,
      'Run it on Linux',
    )
  }
  if ((request.folders ?? []).length > 0) throw cannotMountError()
  const interpreter = await request.interpreter()
  const startOnce = async () => await startProcessOnce(request, interpreter, killBarrier)
  return await startWithOneRetry(request.signal, startOnce)
}

async function startProcessOnce(
  request: SandboxRequest,
  interpreter: Interpreter,
  killBarrier: KillBarrier,
): Promise<SandboxProcess> {
  sweepStagingFolders()
  sweepControlGroups()
  const folders = createProcessFolders(locateNodePackages(request), interpreter)
  const group = createControlGroup(request.id, request.limits)
  try {
    const installed = resolveHostPath(interpreter, interpreter.executable)
    const executable = request.hostPackages ? installed : folders.addPython(installed)
    const child = spawnGuest([executable, ...PYTHON_FLAGS, join(folders.guest, 'init.py')], {
      env: {},
      cwd: folders.inside.workspace,
      detached: true,
      stdio: [chooseStdin(request), 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    })
    const running = new GuestProcess(
      describeProcessGuest(child, { request, folders, group }),
      killBarrier,
    )
    // RLIMIT_NPROC would also count other processes of this user.
    const limits = computeGuestLimits(request.limits, {
      grouped: group !== undefined,
      countsUsers: false,
    })
    running.start('unconfined', () =>
      buildGuestJob(mapRequestToHost(request, folders, { interpreter, executable }), {
        folders: folders.inside,
        packages: interpreter.packages.map((path) => resolveHostPath(interpreter, path)),
        limits,
      }),
    )
    const { uid } = await waitUntilReady(running, child, request.limits)
    return Object.assign(running, { isolation: describeProcessIsolation(uid, limits.where, group) })
  } catch (error) {
    await group?.remove()
    folders.remove()
    throw error
  }
}

function describeProcessGuest(
  child: ChildProcess,
  context: { request: SandboxRequest; folders: ProcessFolders; group: ControlGroup | undefined },
): StartedGuest {
  const { pid } = child
  const exit = new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    child.on('exit', () => resolve())
  })
  return {
    stdout: getChildStream(child, 1),
    stderr: getChildStream(child, 2),
    stdin: child.stdin ?? undefined,
    control: getChildStream(child, CONTROL_FD),
    channel: getChildStream(child, CHANNEL_FD),
    init: pid === undefined ? new Promise(() => {}) : Promise.resolve(pid),
    dead: exit.then(async () => await killWholeSession(pid)),
    killAll: () => {
      if (pid !== undefined && child.exitCode === null && child.signalCode === null) killTree(pid)
    },
    group: context.group,
    hasLowPriority: context.request.hasLowPriority === true,
    ...selectWatchedLimits(context.request),
    ownFileSystems: [],
    disk: context.request.workspace && [{ path: context.folders.inside.workspace, counts: 'all' }],
    workspace: () => context.folders.inside.workspace,
    remove: () => context.folders.remove(),
    keepIn: context.request.keepIn,
  }
}

/**
 * Rewrites paths of the request, since nothing is mounted: /workspace and the others are host
 * folders here.
 */
function mapRequestToHost(
  request: SandboxRequest,
  { inside, code, guest }: ProcessFolders,
  { interpreter, executable }: { interpreter: Interpreter; executable: string },
): SandboxRequest {
  const { guest: mapped, tools = [] } = request
  if (mapped.kind === 'commands') return request
  if (mapped.kind === 'function') {
    return { ...request, guest: { ...mapped, job: mapJobToHost(mapped.job, tools) } }
  }
  const locations = new Map([
    ...[...interpreter.mounts, ...tools].map(({ source, target }) => [target, source] as const),
    [interpreter.executable, executable],
    [GUEST_FOLDERS.workspace, inside.workspace],
    ['/code', code ?? '/code'],
    ['/guest', guest],
  ])
  const program = rewriteProgram(mapped.program, (text) => rewritePaths(text, locations))
  return { ...request, guest: { ...mapped, program } }
}

/** Links of pinned packages lead to their folders on the host. */
function locateNodePackages(request: SandboxRequest): SandboxRequest {
  const { nodePackages, tools = [] } = request
  if (!nodePackages) return request
  const locations = new Map(tools.map(({ source, target }) => [target, source] as const))
  const moved = nodePackages.map(({ name, target }) => ({
    name,
    target: rewritePaths(target, locations),
  }))
  return { ...request, nodePackages: moved }
}

/** Rewrites the package folders of a job for the harness. */
function mapJobToHost(
  job: PlainObject,
  tools: readonly { source: string; target: string }[],
): PlainObject {
  const { dependencies, env } = job
  if (!Array.isArray(dependencies)) return job
  const locations = new Map(tools.map(({ source, target }) => [target, source] as const))
  const rewrite = (value: unknown) =>
    typeof value === 'string' ? rewritePaths(value, locations) : ''
  const { PYTHONPATH, ...others } = env as Record<string, string>
  return {
    ...job,
    dependencies: dependencies.map(rewrite),
    env: { ...others, PYTHONPATH: rewrite(PYTHONPATH) },
  }
}

function cannotMountError(): SkillsError {
  return backendUnusableError(
    'The backend "process" cannot mount folders into a run',
    'Leave out --backend, or choose container',
  )
}

/**
 * Kills the whole session, because a skill may have killed the first process, which would otherwise
 * do so.
 */
async function killWholeSession(leader: number | undefined): Promise<void> {
  if (leader === undefined) return
  while (killSession(leader)) await sleep(1)
}

function describeProcessIsolation(
  user: number,
  where: Record<string, string>,
  group: ControlGroup | undefined,
): Isolation {
  return {
    backend: 'process',
    path: 'cold',
    reason: 'other backend',
    memory_layout: 'own',
    tier: 'none',
    namespaces: [],
    user,
    seccomp: false,
    landlock: false,
    network: 'host',
    limits: {
      ...where,
      workspace: 'rlimit, each file',
      ...describeGroupLimits(group),
      inodes: 'none',
      ...describeNetworkLimit('host'),
    },
  }
}
