import { existsSync } from 'node:fs'
import { ALTERNATIVES } from '../rootfs/alternatives.ts'
import type { Interpreter, SandboxRequest } from '../backend.ts'
import type { HostMounts } from '../rootfs/host-mounts.ts'
import { GUEST_FOLDERS, chooseStdin } from '../guest-host/guest-job.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'
import type { StagedFiles } from '../rootfs/stage-files.ts'
import type { ContainerEngine } from './engine.ts'
import { capToHardLimit, listSystemMounts, type CoverFiles } from './host-files.ts'
import { NODE_MODULES } from '../guest-host/guest-files.ts'

const SCRATCH_BYTES = 64 * 1024 ** 2

/** How the guest reaches what was put beside it, as paths inside. */
export const SOCKET_NAME = 'socket'
export const FILTER_NAME = 'filter.bpf'

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
  staged: StagedFiles
  given: HostMounts
  covers: CoverFiles
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
  { name }: ContainerEngine,
  request: SandboxRequest,
  plan: ContainerPlan,
): string[] {
  const { limits } = request
  const { interpreter, staged, given } = plan
  return [
    name === 'podman' ? ['--log-level', 'error'] : [],
    ['run', '--rm', '--pull', 'never', '--name', plan.name, '--label', plan.label],
    ['--network', 'none', '--ipc', 'private', '--hostname', 'sandbox', '--log-driver', 'none'],
    chooseStdin(request) === 'pipe' ? ['--interactive'] : [],
    ['--read-only', '--cap-drop', 'all', '--user', `${plan.user}:${plan.user}`],
    ['--security-opt', 'no-new-privileges', '--security-opt', `seccomp=${plan.seccomp}`],
    // Labels would keep the container from what is mounted from the host.
    ['--security-opt', 'label=disable'],
    ['--memory', String(limits.memoryBytes), '--memory-swap', String(limits.memoryBytes)],
    ['--pids-limit', String(limits.processes), '--shm-size', String(SCRATCH_BYTES)],
    ulimitArguments('core', 0),
    ulimitArguments('nofile', capToHardLimit('open files', Math.max(limits.openFiles, MIN_FILES))),
    ulimitArguments(
      'nproc',
      capToHardLimit('processes', Math.max(limits.processes, MIN_PROCESSES)),
    ),
    tmpfsArguments('/tmp', SCRATCH_BYTES),
    given.workspace === undefined
      ? tmpfsArguments(GUEST_FOLDERS.workspace, limits.workspaceBytes)
      : bindArguments(given.workspace, GUEST_FOLDERS.workspace, true),
    tmpfsArguments('/blobs', limits.workspaceBytes),
    interpreter ? hostMountArguments(interpreter, staged) : [],
    ['/etc/hostname', '/etc/resolv.conf'].flatMap((path) => bindArguments(plan.covers.file, path)),
    name === 'podman' ? [...PODMAN_ARGUMENTS, '--pidfile', plan.pidFile] : [],
    name === 'podman' ? bindArguments(plan.covers.folder, '/run') : [],
    bindArguments(staged.guest, '/guest'),
    bindArguments(`${staged.guest}/${NODE_MODULES}`, `/${NODE_MODULES}`),
    staged.skills.flatMap((skill) => bindArguments(skill.path, `/skills/${skill.name}`)),
    staged.blobs.flatMap((blob) => [
      ...bindArguments(blob.path, `/blobs/${blob.name}`),
      ...bindArguments(blob.path, `/blobs/blob:${blob.name}`),
    ]),
    staged.code === undefined ? [] : bindArguments(staged.code, '/code'),
    staged.tools
      .filter(({ target }) => !interpreter?.mounts.some((mount) => mount.target === target))
      .flatMap(({ source, target }) => bindArguments(source, target)),
    given.mounts.flatMap(({ source, target, writable }) => bindArguments(source, target, writable)),
    interpreter?.libraries ? ['--env', `LD_LIBRARY_PATH=${interpreter.libraries}`] : [],
    ['--workdir', '/', '--entrypoint', plan.python],
    'folder' in plan.root ? ['--rootfs', plan.root.folder] : [plan.root.image],
    [...PYTHON_FLAGS, '/guest/init.py'],
    [`/guest/${SOCKET_NAME}`, `/guest/${FILTER_NAME}`, plan.mark],
  ].flat()
}

/** What the guest sets for a skill may not be above these. */
const MIN_FILES = 256
const MIN_PROCESSES = 4096

const PODMAN_ARGUMENTS = [
  '--read-only-tmpfs=false --no-hosts --http-proxy=false --passwd=false --systemd=false',
  '--sdnotify ignore --security-opt mask=/sys --security-opt unmask=/proc/timer_list',
  '--uts private --pid private --cgroupns private',
].flatMap((words) => words.split(' '))

function hostMountArguments({ mounts }: Interpreter, staged: StagedFiles): string[] {
  return [
    ...listSystemMounts().flatMap(({ source, target }) => bindArguments(source, target)),
    ...bindArguments(staged.etc, '/etc'),
    ...(existsSync(ALTERNATIVES) ? bindArguments(ALTERNATIVES, ALTERNATIVES) : []),
    ...mounts.flatMap(({ source, target }) => bindArguments(source, target)),
  ]
}

function bindArguments(source: string, target: string, writable = false): string[] {
  const words = ['type=bind', encodeMountField('src', source), encodeMountField('dst', target)]
  return ['--mount', [...words, ...(writable ? [] : ['readonly'])].join(',')]
}

/** Engines read this as a line of comma-separated values. */
function encodeMountField(name: string, value: string): string {
  return /[",\n]/.test(value) ? `"${name}=${value.replaceAll('"', '""')}"` : `${name}=${value}`
}

function ulimitArguments(name: string, value: number): string[] {
  return ['--ulimit', `${name}=${value}:${value}`]
}

function tmpfsArguments(target: string, size: number): string[] {
  return ['--tmpfs', `${target}:rw,exec,nosuid,nodev,size=${size},mode=1777`]
}
