import { existsSync } from 'node:fs'
import { ALTERNATIVES } from '../rootfs/alternatives.ts'
import type { Interpreter, SandboxRequest } from '../backend.ts'
import type { GivenFolders } from '../rootfs/given-folders.ts'
import { INSIDE, inputOf } from '../guest-host/guest-job.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'
import type { Stage } from '../rootfs/stage.ts'
import type { Engine } from './engine.ts'
import { atMost, systemMounts, type Covers } from './host-files.ts'
import { PACKAGES } from '../guest-host/guest-files.ts'

const SMALL = 64 * 1024 ** 2

/** How the guest reaches what was put beside it, as paths inside. */
export const SOCKET = 'socket'
export const FILTER = 'filter.bpf'

/** What a container is started with, besides what is asked for. */
export interface ContainerPlan {
  name: string
  /** Marks containers of ours. */
  label: string
  /** Among the words of the first process, and of no other. */
  mark: string
  /** Where podman writes the number of the first process. */
  pidFile: string
  user: number
  staged: Stage
  given: GivenFolders
  covers: Covers
  /** A file with the engine's own filter of system calls. */
  seccomp: string
  /** A folder, or an image with an interpreter of its own. */
  root: { folder: string } | { image: string }
  /** The host's, unless the image has its own. */
  interpreter: Interpreter | undefined
  python: string
}

/** The words for `docker run` or `podman run`. */
export function containerArguments(
  { name }: Engine,
  request: SandboxRequest,
  plan: ContainerPlan,
): string[] {
  const { limits } = request
  const { interpreter, staged, given } = plan
  return [
    name === 'podman' ? ['--log-level', 'error'] : [],
    ['run', '--rm', '--pull', 'never', '--name', plan.name, '--label', plan.label],
    ['--network', 'none', '--ipc', 'private', '--hostname', 'sandbox', '--log-driver', 'none'],
    inputOf(request) === 'pipe' ? ['--interactive'] : [],
    ['--read-only', '--cap-drop', 'all', '--user', `${plan.user}:${plan.user}`],
    ['--security-opt', 'no-new-privileges', '--security-opt', `seccomp=${plan.seccomp}`],
    // Labels would keep the container from what is mounted from the host.
    ['--security-opt', 'label=disable'],
    ['--memory', String(limits.memoryBytes), '--memory-swap', String(limits.memoryBytes)],
    ['--pids-limit', String(limits.processes), '--shm-size', String(SMALL)],
    ulimit('core', 0),
    ulimit('nofile', atMost('open files', Math.max(limits.openFiles, LEAST_FILES))),
    ulimit('nproc', atMost('processes', Math.max(limits.processes, LEAST_PROCESSES))),
    tmpfs('/tmp', SMALL),
    given.workspace === undefined
      ? tmpfs(INSIDE.workspace, limits.workspaceBytes)
      : bind(given.workspace, INSIDE.workspace, true),
    tmpfs('/blobs', limits.workspaceBytes),
    interpreter ? hostMounts(interpreter, staged) : [],
    ['/etc/hostname', '/etc/resolv.conf'].flatMap((path) => bind(plan.covers.file, path)),
    name === 'podman' ? [...ONLY_PODMAN, '--pidfile', plan.pidFile] : [],
    name === 'podman' ? bind(plan.covers.folder, '/run') : [],
    bind(staged.guest, '/guest'),
    bind(`${staged.guest}/${PACKAGES}`, `/${PACKAGES}`),
    staged.skills.flatMap((skill) => bind(skill.path, `/skills/${skill.name}`)),
    staged.blobs.flatMap((blob) => [
      ...bind(blob.path, `/blobs/${blob.name}`),
      ...bind(blob.path, `/blobs/blob:${blob.name}`),
    ]),
    staged.code === undefined ? [] : bind(staged.code, '/code'),
    staged.tools
      .filter(({ target }) => !interpreter?.mounts.some((mount) => mount.target === target))
      .flatMap(({ source, target }) => bind(source, target)),
    given.mounts.flatMap(({ source, target, writable }) => bind(source, target, writable)),
    interpreter?.libraries ? ['--env', `LD_LIBRARY_PATH=${interpreter.libraries}`] : [],
    ['--workdir', '/', '--entrypoint', plan.python],
    'folder' in plan.root ? ['--rootfs', plan.root.folder] : [plan.root.image],
    [...PYTHON_FLAGS, '/guest/init.py'],
    [`/guest/${SOCKET}`, `/guest/${FILTER}`, plan.mark],
  ].flat()
}

/** What the guest sets for a skill may not be above these. */
const LEAST_FILES = 256
const LEAST_PROCESSES = 4096

const ONLY_PODMAN = [
  '--read-only-tmpfs=false --no-hosts --http-proxy=false --passwd=false --systemd=false',
  '--sdnotify ignore --security-opt mask=/sys --security-opt unmask=/proc/timer_list',
  '--uts private --pid private --cgroupns private',
].flatMap((words) => words.split(' '))

function hostMounts({ mounts }: Interpreter, staged: Stage): string[] {
  return [
    ...systemMounts().flatMap(({ source, target }) => bind(source, target)),
    ...bind(staged.etc, '/etc'),
    ...(existsSync(ALTERNATIVES) ? bind(ALTERNATIVES, ALTERNATIVES) : []),
    ...mounts.flatMap(({ source, target }) => bind(source, target)),
  ]
}

function bind(source: string, target: string, writable = false): string[] {
  const words = ['type=bind', field('src', source), field('dst', target)]
  return ['--mount', [...words, ...(writable ? [] : ['readonly'])].join(',')]
}

/** Engines read this as a line of comma-separated values. */
function field(name: string, value: string): string {
  return /[",\n]/.test(value) ? `"${name}=${value.replaceAll('"', '""')}"` : `${name}=${value}`
}

function ulimit(name: string, value: number): string[] {
  return ['--ulimit', `${name}=${value}:${value}`]
}

function tmpfs(target: string, size: number): string[] {
  return ['--tmpfs', `${target}:rw,exec,nosuid,nodev,size=${size},mode=1777`]
}
