import type { Interpreter, SandboxRequest } from '../backend.ts'
import type { HostMounts } from '../rootfs/host-mounts.ts'
import {
  DEVICES,
  kernelMounts,
  runMounts,
  systemMounts,
  type RootfsMount,
} from '../rootfs/mounts.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'
import type { StagedFiles } from '../rootfs/stage-files.ts'

/** Descriptors as bwrap and the guest know them. */
export const BWRAP_FDS = { args: 3, seccomp: 4, info: 5, control: 6, channel: 7, handles: 8 }

const DEVICE_BYTES = 64 * 1024 ** 2

/** The words for bwrap; `asRoot` means without a user namespace, the guest changing the user. */
export function bubblewrapArguments(
  request: SandboxRequest,
  stage: StagedFiles,
  { interpreter, asRoot, given }: BubblewrapOptions,
): readonly string[] {
  // A terminal costs an ordinary user the low ports: the network is then reached by the proxy only.
  const hasTerminal = request.program?.terminal !== undefined
  const mounts = [
    ...systemMounts(stage, interpreter),
    ...kernelMounts({ terminals: !request.network || asRoot || hasTerminal }),
    ...runMounts(request.limits, { ...stage, given }),
  ]
  return [
    asRoot ? ROOT_ARGUMENTS : USER_ARGUMENTS,
    request.network ? listenerCapabilities(asRoot) : asRoot ? [] : ['--disable-userns'],
    NAMESPACE_ARGUMENTS,
    mounts.flatMap(mountArguments),
    ['--chdir', '/'],
    ['--seccomp', String(BWRAP_FDS.seccomp), '--info-fd', String(BWRAP_FDS.info)],
    libraryArguments(interpreter),
  ].flat()
}

interface BubblewrapOptions {
  interpreter: Interpreter
  asRoot: boolean
  given?: HostMounts | undefined
}

/** What is started inside; bwrap takes it from its own arguments only. */
export function buildGuestCommand({ executable }: Interpreter): readonly string[] {
  return [executable, ...PYTHON_FLAGS, '/guest/init.py']
}

/** All but the one for users, and what keeps the sandbox in its own session. */
export const NAMESPACE_ARGUMENTS: readonly string[] = [
  ['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
  ['--hostname', 'sandbox', '--die-with-parent', '--new-session', '--as-pid-1'],
].flat()

export function libraryArguments({ libraries }: Interpreter): string[] {
  return libraries ? ['--setenv', 'LD_LIBRARY_PATH', libraries] : []
}

/** A step of the layout as bwrap takes it. */
export function mountArguments(mount: RootfsMount): string[] {
  switch (mount.kind) {
    case 'bind':
      return [mount.writable ? '--bind' : '--ro-bind', mount.source, mount.target]
    case 'link':
      return ['--symlink', mount.to, mount.target]
    case 'folder':
      // Left to itself, bwrap makes the folder above a mount for its own user only.
      return ['--perms', '0755', '--dir', mount.target]
    case 'memory':
      return ['--perms', '1777', '--size', String(mount.bytes), '--tmpfs', mount.target]
    case 'processes':
      return [
        ['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
        mount.hidden.flatMap((path) => ['--ro-bind', '/dev/null', path]),
      ].flat()
    case 'devices':
      return mount.terminals ? ['--dev', '/dev'] : plainDeviceArguments()
    case 'seal':
      return ['--remount-ro', mount.target]
  }
}

/** Only what the guest needs to become somebody else. */
const ROOT_ARGUMENTS =
  '--cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP'.split(' ')

const USER_ARGUMENTS = ['--unshare-user', '--uid', '1000', '--gid', '1000']

/**
 * To bind low ports and give the loopback addresses, as long as the guest needs for that. The right belongs to the user namespace
 * that owns the network, so bwrap must not make a further one inside of it: the system call filter
 * alone keeps code from making one.
 */
function listenerCapabilities(asRoot: boolean): string[] {
  const rights = ['--cap-add', 'CAP_NET_BIND_SERVICE', '--cap-add', 'CAP_NET_ADMIN']
  const words = asRoot ? rights : ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETPCAP', ...rights]
  // What Node tells a child of its own about the channel for handles.
  const names = ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE']
  return [...words, ...names.flatMap((name) => ['--unsetenv', name])]
}

/** As bwrap's own, but for terminals: for their sake it would make a further user namespace. */
function plainDeviceArguments(): string[] {
  const nodes = DEVICES.map((name) => `/dev/${name}`)
  const links = ['stdin', 'stdout', 'stderr'].map((name, fd) => [`/proc/self/fd/${fd}`, name])
  return [
    ['--perms', '0755', '--size', String(DEVICE_BYTES), '--tmpfs', '/dev'],
    nodes.flatMap((node) => ['--dev-bind', node, node]),
    [['/proc/self/fd', 'fd'], ...links].flatMap(([to = '', name]) => [
      '--symlink',
      to,
      `/dev/${name}`,
    ]),
  ].flat()
}
