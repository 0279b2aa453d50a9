import { lstatSync, readlinkSync } from 'node:fs'
import type { Interpreter, SandboxRequest } from './backend.ts'
import type { Stage } from './stage.ts'

/** Descriptors as bwrap and the guest know them. */
export const FDS = { args: 3, seccomp: 4, info: 5, control: 6, channel: 7, handles: 8 }

const SYSTEM_FOLDERS = ['/bin', '/lib', '/lib32', '/lib64', '/sbin']
/** Folders that only memory backs, whose files count for the run. */
export const OWN_FILE_SYSTEMS = ['/workspace', '/tmp', '/dev/shm', '/blobs']

const SMALL = 64 * 1024 ** 2

/** The words for bwrap; `asRoot` means without a user namespace, the guest changing the user. */
export function bubblewrapArguments(
  request: SandboxRequest,
  stage: Stage,
  { interpreter, asRoot }: { interpreter: Interpreter; asRoot: boolean },
): readonly string[] {
  const { limits } = request
  return [
    asRoot ? ROOT_RIGHTS : USER_RIGHTS,
    request.network ? listeningRights(asRoot) : asRoot ? [] : ['--disable-userns'],
    ['--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts', '--unshare-cgroup-try'],
    ['--hostname', 'sandbox', '--die-with-parent', '--new-session', '--as-pid-1'],
    ['--ro-bind', '/usr', '/usr', ...systemFolders()],
    ['--ro-bind', stage.etc, '/etc', '--ro-bind', stage.guest, '/guest'],
    interpreter.mounts.flatMap(({ source, target }) => ['--ro-bind', source, target]),
    ['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys', ...hiddenFiles()],
    request.network && !asRoot ? plainDevices() : ['--dev', '/dev'],
    tmpfs('/dev/shm', SMALL),
    ['--remount-ro', '/dev'],
    tmpfs('/tmp', SMALL),
    tmpfs('/workspace', limits.workspaceBytes),
    tmpfs('/blobs', limits.workspaceBytes),
    stage.blobs.flatMap(({ name, path }) => blobMount(name, path)),
    // Left to itself, bwrap makes the folder above a mount for its own user only.
    ['--perms', '0755', '--dir', '/skills'],
    stage.skills.flatMap(({ name, path }) => ['--ro-bind', path, `/skills/${name}`]),
    ['--remount-ro', '/', '--chdir', '/'],
    ['--seccomp', String(FDS.seccomp), '--info-fd', String(FDS.info)],
    interpreter.libraries ? ['--setenv', 'LD_LIBRARY_PATH', interpreter.libraries] : [],
  ].flat()
}

/** What is started inside; bwrap takes it from its own arguments only. */
export function guestCommand({ executable }: Interpreter): readonly string[] {
  return [executable, '-I', '-S', '-B', '-X', 'utf8', '/guest/init.py']
}

/** Only what the guest needs to become somebody else. */
const ROOT_RIGHTS =
  '--cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP'.split(' ')

const USER_RIGHTS = ['--unshare-user', '--uid', '1000', '--gid', '1000']

/**
 * To bind low ports and give the loopback addresses, as long as the guest needs for that. The right belongs to the user namespace
 * that owns the network, so bwrap must not make a further one inside of it: the system call filter
 * alone keeps code from making one.
 */
function listeningRights(asRoot: boolean): string[] {
  const rights = ['--cap-add', 'CAP_NET_BIND_SERVICE', '--cap-add', 'CAP_NET_ADMIN']
  const words = asRoot ? rights : ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETPCAP', ...rights]
  // What Node tells a child of its own about the channel for handles.
  const names = ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE']
  return [...words, ...names.flatMap((name) => ['--unsetenv', name])]
}

/** As bwrap's own, but for terminals: for their sake it would make a further user namespace. */
function plainDevices(): string[] {
  const nodes = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`)
  const links = ['stdin', 'stdout', 'stderr'].map((name, fd) => [`/proc/self/fd/${fd}`, name])
  return [
    ['--perms', '0755', '--size', String(SMALL), '--tmpfs', '/dev'],
    nodes.flatMap((node) => ['--dev-bind', node, node]),
    [['/proc/self/fd', 'fd'], ...links].flatMap(([to = '', name]) => [
      '--symlink',
      to,
      `/dev/${name}`,
    ]),
  ].flat()
}

function tmpfs(target: string, size: number): string[] {
  return ['--perms', '1777', '--size', String(size), '--tmpfs', target]
}

function blobMount(name: string, path: string): string[] {
  return ['--ro-bind', path, `/blobs/${name}`, '--symlink', name, `/blobs/blob:${name}`]
}

/** Keyrings have no namespace: these list what the caller's session holds. */
function hiddenFiles(): string[] {
  return ['/proc/keys', '/proc/key-users']
    .filter((path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined)
    .flatMap((path) => ['--ro-bind', '/dev/null', path])
}

/** On most systems these are links into /usr; elsewhere they are folders of their own. */
function systemFolders(): string[] {
  return SYSTEM_FOLDERS.flatMap((folder) => {
    const stat = lstatSync(folder, { throwIfNoEntry: false })
    if (stat?.isSymbolicLink()) return ['--symlink', readlinkSync(folder), folder]
    return stat?.isDirectory() ? ['--ro-bind', folder, folder] : []
  })
}
