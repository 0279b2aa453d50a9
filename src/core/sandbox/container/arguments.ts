import { join, relative } from 'node:path'
import type { Interpreter, SandboxRequest } from '../backend.ts'
import type { HostMounts } from '../rootfs/host-mounts.ts'
import { planCovers } from '../rootfs/covers.ts'
import { FILES_OF_HOST, FOLDERS_OF_HOST } from '../rootfs/host-facts.ts'
import { listSystemSettings } from '../../../util/files/system-settings.ts'
import { GUEST_FOLDERS } from '../guest-host/guest-job.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'
import type { StagedFiles } from '../rootfs/stage-files.ts'
import type { ContainerEngine } from './engine.ts'
import { computeHostProcesses } from './gvisor/runsc.ts'
import { capToHardLimit, listSystemMounts, type CoverFiles } from './host-files.ts'
import { CA_BUNDLE_PATH, JAVA_TRUST_PATH } from '../network.ts'
import { NODE_MODULES } from '../guest-host/guest-files.ts'

const SCRATCH_BYTES = 64 * 1024 ** 2

/** Name of a file next to those of the guest. */
export const FILTER_NAME = 'filter.bpf'

/** Plan of one container, beyond the request itself. */
export interface ContainerPlan {
  name: string
  /** Marks our containers. */
  label: string
  /** Argument that only the first process has. */
  mark: string
  /** File to which podman writes the PID of the first process. */
  pidFile: string
  /** File to which podman writes the id of the container. */
  idFile: string
  /** True if the engine can run on another machine, such as a virtual one. */
  mayBeRemote: boolean
  user: number
  /** User of the first process in gVisor; elsewhere it has that of the run. */
  supervisor: number | undefined
  staged: StagedFiles
  hostMounts: HostMounts
  covers: CoverFiles
  /** Path of the seccomp profile for the engine. */
  seccomp: string
  /** Root filesystem: a folder, or an image that brings its own interpreter. */
  root: { folder: string } | { image: string }
  /** The host's interpreter; undefined if the image brings its own. */
  interpreter: Interpreter | undefined
  python: string
}

/** Builds the arguments of `docker run` or `podman run`. */
export function buildContainerArguments(
  { name, hasGvisor }: ContainerEngine,
  request: SandboxRequest,
  plan: ContainerPlan,
): string[] {
  const { limits } = request
  const hostProcesses = hasGvisor ? computeHostProcesses(limits.processes) : limits.processes
  const { interpreter, staged, hostMounts } = plan
  return [
    name === 'podman' ? ['--log-level', 'error'] : [],
    ['run', '--rm', '--pull', 'never', '--name', plan.name, '--label', plan.label],
    ['--network', 'none', '--ipc', 'private', '--hostname', 'sandbox', '--log-driver', 'none'],
    // All streams of the guest pass through its stdin and stdout.
    ['--interactive'],
    // The relay listens on port 53 and on listed ports, without any capability.
    request.network ? ['--sysctl', 'net.ipv4.ip_unprivileged_port_start=0'] : [],
    ['--read-only', '--cap-drop', 'all', ...buildUserArguments(plan)],
    ['--security-opt', 'no-new-privileges', '--security-opt', `seccomp=${plan.seccomp}`],
    // SELinux labels would deny access to host mounts.
    ['--security-opt', 'label=disable'],
    ['--memory', String(limits.memoryBytes), '--memory-swap', String(limits.memoryBytes)],
    ['--pids-limit', String(hostProcesses), '--shm-size', String(SCRATCH_BYTES)],
    ['--oom-score-adj', String(MAX_OUT_OF_MEMORY_SCORE)],
    buildUlimit('core', 0),
    buildUlimit('nofile', capToHardLimit('open files', Math.max(limits.openFiles, MIN_FILES))),
    buildUlimit('nproc', capToHardLimit('processes', Math.max(limits.processes, MIN_PROCESSES))),
    buildTmpfs('/tmp', SCRATCH_BYTES),
    hostMounts.workspace === undefined
      ? buildTmpfs(GUEST_FOLDERS.workspace, limits.workspaceBytes)
      : buildBindArguments(hostMounts.workspace, GUEST_FOLDERS.workspace, true),
    buildTmpfs('/blobs', limits.workspaceBytes),
    interpreter ? buildHostMounts(interpreter, staged) : [],
    buildBindArguments(plan.covers.file, '/etc/hostname'),
    buildNetworkMounts(request, plan),
    name === 'podman' ? buildPodmanArguments(plan) : [],
    buildBindArguments(staged.guest, '/guest'),
    buildBindArguments(`${staged.guest}/${NODE_MODULES}`, `/${NODE_MODULES}`),
    buildRunMounts(plan),
    interpreter?.libraries ? ['--env', `LD_LIBRARY_PATH=${interpreter.libraries}`] : [],
    ['--workdir', '/', '--entrypoint', plan.python],
    'folder' in plan.root ? ['--rootfs', plan.root.folder] : [plan.root.image],
    [...PYTHON_FLAGS, '/guest/init.py'],
    [`/guest/${FILTER_NAME}`, plan.mark, ...buildGvisorArguments(plan)],
  ].flat()
}

/** In gVisor, the first process has a user and capabilities that the run does not have. */
function buildUserArguments({ user, supervisor }: ContainerPlan): string[] {
  if (supervisor === undefined) return ['--user', `${user}:${user}`]
  const capabilities = SUPERVISOR_CAPABILITIES.flatMap((name) => ['--cap-add', name])
  return [...capabilities, '--user', `${supervisor}:${supervisor}`]
}

/** Makes the guest refuse to start if its kernel is not gVisor's, and names the user of the run. */
function buildGvisorArguments({ user, supervisor }: ContainerPlan): string[] {
  return supervisor === undefined ? [] : ['gvisor', String(user)]
}

const SUPERVISOR_CAPABILITIES = ['SETPCAP', 'SETUID', 'SETGID', 'KILL']

/** The kernel ends a run first if memory runs out. */
const MAX_OUT_OF_MEMORY_SCORE = 1000

/** Minimum limits of the container: the guest cannot raise them for a skill. */
const MIN_FILES = 256
const MIN_PROCESSES = 4096

const PODMAN_ARGUMENTS = [
  '--read-only-tmpfs=false --no-hosts --http-proxy=false --passwd=false --systemd=false',
  '--sdnotify ignore',
  '--uts private --pid private --cgroupns private',
].flatMap((line) => line.split(' '))

/** Docker has no option to cover paths: it has its own list. */
function buildPodmanArguments({ mayBeRemote, pidFile, idFile, covers }: ContainerPlan): string[] {
  // A remote guest reads its control group in /sys.
  const covered = [...(mayBeRemote ? [] : ['/sys']), ...FILES_OF_HOST, ...FOLDERS_OF_HOST]
  return [
    ...PODMAN_ARGUMENTS,
    '--security-opt',
    `mask=${covered.join(':')}`,
    ...(mayBeRemote ? [] : ['--pidfile', pidFile, '--cidfile', idFile]),
    ...buildBindArguments(covers.folder, '/run'),
  ]
}

function buildHostMounts({ mounts, hidden }: Interpreter, staged: StagedFiles): string[] {
  const systemMounts = listSystemMounts()
  return [
    ...systemMounts.flatMap(({ source, target }) => buildBindArguments(source, target)),
    ...buildBindArguments(staged.etc, '/etc'),
    ...listSystemSettings().flatMap((path) => buildBindArguments(path, path)),
    ...mounts.flatMap(({ source, target }) => buildBindArguments(source, target)),
    ...planCovers(listAllPaths(hidden, systemMounts), staged.guest).flatMap(buildCover),
  ]
}

/** Mounts of the skills, blobs, code, tools and folders of a run. */
function buildRunMounts({ staged, hostMounts, interpreter }: ContainerPlan): string[] {
  return [
    staged.skills.flatMap((skill) => buildBindArguments(skill.path, `/skills/${skill.name}`)),
    staged.blobs.flatMap((blob) => [
      ...buildBindArguments(blob.path, `/blobs/${blob.name}`),
      ...buildBindArguments(blob.path, `/blobs/blob:${blob.name}`),
    ]),
    staged.code === undefined ? [] : buildBindArguments(staged.code, '/code'),
    staged.tools
      .filter(({ target }) => !interpreter?.mounts.some((mount) => mount.target === target))
      .flatMap(({ source, target }) => buildBindArguments(source, target)),
    planCovers(staged.hidden, staged.guest).flatMap(buildCover),
    hostMounts.mounts.flatMap(({ source, target, writable }) =>
      buildBindArguments(source, target, writable),
    ),
  ].flat()
}

/** Name resolution of the engine is replaced by that of the run, if it has a network. */
function buildNetworkMounts(
  { network }: SandboxRequest,
  { staged, covers, interpreter }: ContainerPlan,
): string[] {
  const resolver = '/etc/resolv.conf'
  if (!network) return buildBindArguments(covers.file, resolver)
  const mounts = buildBindArguments(join(staged.etc, 'resolv.conf'), resolver)
  // Without an image, /etc is the staged folder.
  if (interpreter || (network.certificates ?? network.authority) === undefined) return mounts
  const bundle = join(staged.etc, relative('/etc', CA_BUNDLE_PATH))
  const trust = join(staged.etc, relative('/etc', JAVA_TRUST_PATH))
  return [
    ...mounts,
    ...buildBindArguments(bundle, CA_BUNDLE_PATH),
    ...(network.authority === undefined ? [] : buildBindArguments(trust, JAVA_TRUST_PATH)),
  ]
}

/** Lists hidden folders with their other paths: /lib shows the content of /usr/lib. */
function listAllPaths(
  hidden: Interpreter['hidden'],
  mounts: ReturnType<typeof listSystemMounts>,
): Interpreter['hidden'] {
  const others = mounts.filter(({ source, target }) => source !== target)
  return [
    ...hidden,
    ...others.flatMap(({ source, target }) => {
      const move = (path: string) => target + path.slice(source.length)
      return hidden
        .filter((folder) => folder.target.startsWith(`${source}/`))
        .map(({ target: path, kept }) => ({
          target: move(path),
          kept: kept.map((each) => ({ ...each, target: move(each.target) })),
        }))
    }),
  ]
}

function buildCover({ source, target }: { source: string; target: string }): string[] {
  return buildBindArguments(source, target)
}

function buildBindArguments(source: string, target: string, writable = false): string[] {
  const fields = ['type=bind', encodeMountField('src', source), encodeMountField('dst', target)]
  return ['--mount', [...fields, ...(writable ? [] : ['readonly'])].join(',')]
}

/** Engines parse `--mount` as a CSV record. */
function encodeMountField(name: string, value: string): string {
  return /[",\n]/.test(value) ? `"${name}=${value.replaceAll('"', '""')}"` : `${name}=${value}`
}

function buildUlimit(name: string, value: number): string[] {
  return ['--ulimit', `${name}=${value}:${value}`]
}

function buildTmpfs(target: string, size: number): string[] {
  return ['--tmpfs', `${target}:rw,exec,nosuid,nodev,size=${size},mode=1777`]
}
