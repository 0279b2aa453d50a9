import type { Interpreter, SandboxRequest } from '../backend.ts'
import { RUN_FDS, type RunToLaunch } from '../linux/launcher.ts'
import {
  DEVICES,
  planKernelMounts,
  planRunMounts,
  planSystemMounts,
  type RootfsMount,
} from '../rootfs/mounts.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'

const DEVICE_BYTES = 64 * 1024 ** 2

/** Plans the mounts of a cold run. */
export function planBubblewrapMounts(
  request: SandboxRequest,
  { staged, interpreter, hostMounts, grouped }: RunToLaunch,
): RootfsMount[] {
  // bwrap cannot limit the number of pseudo-terminals, so other runs get none. With a terminal, it
  // nests user namespaces, so an ordinary user cannot bind low ports: the network is then reachable
  // through the proxy only.
  const { guest } = request
  const input = 'program' in guest ? guest.program : 'input' in guest ? guest.input : undefined
  const hasTerminal = input?.terminal !== undefined
  return [
    ...planSystemMounts(staged, interpreter),
    ...planKernelMounts({ terminals: hasTerminal, guest: staged.guest }),
    ...planRunMounts(request.limits, { ...staged, hostMounts, grouped }),
  ]
}

/** Arguments of bwrap. With `asRoot`, there is no user namespace and the guest changes its user. */
export function buildBubblewrapArguments(
  { network }: Pick<SandboxRequest, 'network'>,
  mounts: readonly RootfsMount[],
  { interpreter, asRoot }: Pick<RunToLaunch, 'interpreter' | 'asRoot'>,
): readonly string[] {
  return [
    asRoot ? ROOT_ARGUMENTS : USER_ARGUMENTS,
    network ? buildListenerCapabilities(asRoot) : asRoot ? [] : ['--disable-userns'],
    NAMESPACE_ARGUMENTS,
    mounts.flatMap(buildMountArguments),
    ['--chdir', '/'],
    // Root's guest loads the filter itself: it enters a user namespace before.
    asRoot ? [] : ['--seccomp', String(RUN_FDS.seccomp)],
    ['--info-fd', String(RUN_FDS.info)],
    buildLibraryArguments(interpreter),
  ].flat()
}

/** Encodes arguments for `--args`. */
export function encodeArguments(args: readonly string[]): string {
  return args.map((argument) => `${argument}\0`).join('')
}

/** Command that starts the guest. bwrap reads it from its own argv only, never from `--args`. */
export function buildGuestCommand({ executable }: Interpreter, asRoot: boolean): readonly string[] {
  return [executable, ...PYTHON_FLAGS, '/guest/init.py', ...(asRoot ? ['of root'] : [])]
}

/** Every namespace except the user namespace, and a session of its own. */
export const NAMESPACE_ARGUMENTS: readonly string[] = [
  ['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
  ['--hostname', 'sandbox', '--die-with-parent', '--new-session', '--as-pid-1'],
].flat()

export function buildLibraryArguments({ libraries }: Interpreter): string[] {
  return libraries ? ['--setenv', 'LD_LIBRARY_PATH', libraries] : []
}

/** Translates a mount step into bwrap arguments. */
export function buildMountArguments(mount: RootfsMount): string[] {
  switch (mount.kind) {
    case 'bind':
    case 'device':
      return [chooseBindOption(mount), mount.source, mount.target]
    case 'link':
      return ['--symlink', mount.to, mount.target]
    case 'folder':
      // Without `--dir`, bwrap creates parent folders that only its own user can enter.
      return ['--perms', '0755', '--dir', mount.target]
    case 'memory':
      return [
        ['--perms', mount.mode ?? '1777', '--size', String(mount.bytes)],
        ['--tmpfs', mount.target],
      ].flat()
    case 'processes':
      return [
        ['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
        mount.files.flatMap((path) => ['--ro-bind', '/dev/null', path]),
        mount.folders.flatMap((path) => ['--ro-bind', mount.cover, path]),
        // Otherwise a run could lower its score for the out-of-memory killer.
        ['--remount-ro', '/proc'],
      ].flat()
    case 'proc':
      return ['--proc', '/proc']
    case 'devices':
      return mount.terminals ? ['--dev', '/dev'] : buildPlainDevices()
    case 'seal':
      return ['--remount-ro', mount.target]
  }
}

function chooseBindOption(mount: Extract<RootfsMount, { kind: 'bind' | 'device' }>): string {
  if (mount.kind === 'device') return '--dev-bind'
  return mount.writable ? '--bind' : '--ro-bind'
}

/** The capabilities that the guest needs to change its user and to enter namespaces; it drops them. */
const ROOT_ARGUMENTS = [
  ['--cap-drop', 'ALL'],
  ['SETUID', 'SETGID', 'SETPCAP', 'SYS_ADMIN'].flatMap((name) => ['--cap-add', `CAP_${name}`]),
].flat()

const USER_ARGUMENTS = ['--unshare-user', '--uid', '1000', '--gid', '1000']

/**
 * Capabilities to bind low ports and assign loopback addresses; the guest drops them afterwards.
 * They belong to the user namespace that owns the network, so bwrap must not create a nested one:
 * only the system call filter then keeps code from creating one.
 */
function buildListenerCapabilities(asRoot: boolean): string[] {
  const rights = ['--cap-add', 'CAP_NET_BIND_SERVICE', '--cap-add', 'CAP_NET_ADMIN']
  const capabilities = asRoot
    ? rights
    : ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETPCAP', ...rights]
  // Node sets these for the IPC channel of a child.
  const names = ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE']
  return [...capabilities, ...names.flatMap((name) => ['--unsetenv', name])]
}

/**
 * Equals `--dev` of bwrap without terminals, for which bwrap would create a nested user namespace.
 */
function buildPlainDevices(): string[] {
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
