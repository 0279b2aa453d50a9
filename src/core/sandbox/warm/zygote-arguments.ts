import type { Interpreter } from '../backend.ts'
import { libraryWords, mountWords, NAMESPACES } from '../bubblewrap/bubblewrap-arguments.ts'
import { kernelMounts, systemMounts, type Mount } from '../rootfs/mounts.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'
import { TOOLS, type SeenFolder } from './tool-folders.ts'
import type { ZygoteFolder } from './zygote-folder.ts'

/** Descriptors as both bwraps and the zygote know them. */
export const ZYGOTE_FDS = { args: 3, info: 4, mapped: 5, host: 6, outerArgs: 7 }

/** Of runs that an ordinary user starts. */
export const ORDINARY_USER = 1000

/** Where the zygote sees the folder that skills and blobs of runs are laid out in. */
const STAGED = '/stage'

/** A step that a fork takes: what bwrap knows as well, and files of a few lines. */
export type LeafStep = Mount | { kind: 'file'; target: string; text: string }

/** How a zygote is started: a program, its words, and what bwrap reads by its descriptors. */
interface ZygoteCommand {
  words: readonly string[]
  args: readonly string[]
  outerArgs: readonly string[]
}

/**
 * A zygote in bwrap: no file of the host but /usr, the interpreter, the guest and the folder of what
 * is staged for runs. Root starts it as somebody else, who may not look into folders of root: before
 * that, another bwrap lays out what there is to see.
 */
export function zygoteCommand(at: {
  program: string
  folder: ZygoteFolder
  interpreter: Interpreter
  seen: readonly SeenFolder[]
  user: number | undefined
}): ZygoteCommand {
  const { program, folder, interpreter, user } = at
  const system = systemMounts(folder, interpreter)
  const seen: Mount[] = [
    ...system,
    // Left to itself, bwrap makes it for its own user only.
    { kind: 'folder', target: TOOLS },
    ...at.seen
      .filter(
        ({ target }) => !system.some((mount) => mount.kind === 'bind' && mount.target === target),
      )
      .map((each): Mount => ({ kind: 'bind', ...each })),
    { kind: 'bind', source: folder.staged, target: STAGED },
  ]
  const zygote = [interpreter.executable, ...PYTHON_FLAGS, '/guest/zygote.py']
  const inner = [program, '--args', String(ZYGOTE_FDS.args), '--', ...zygote]
  const words = (mounts: Mount[]) => zygoteWords(mounts, interpreter, user)
  if (user === undefined) return { words: inner, args: words(seen), outerArgs: [] }
  const drop = [interpreter.executable, '-I', '-S', '-c', BECOME, String(user)]
  return {
    words: [program, '--args', String(ZYGOTE_FDS.outerArgs), '--', ...drop, ...inner],
    args: words(seen.map(fromInside)),
    outerArgs: [
      [...seen, { kind: 'bind', source: program, target: program } as const].flatMap(mountWords),
      ['--bind', '/proc', '/proc', '--dev-bind', '/dev', '/dev', '--dir', '/tmp', '--chdir', '/'],
      ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'],
      libraryWords(interpreter),
    ].flat(),
  }
}

/** Who has these numbers can no longer become anybody else; what it then starts has no right at all. */
const BECOME =
  'import os, sys; user = int(sys.argv[1]); os.setgroups([]); os.setresgid(user, user, user); ' +
  'os.setresuid(user, user, user); os.execv(sys.argv[2], sys.argv[2:])'

function zygoteWords(mounts: Mount[], interpreter: Interpreter, user: number | undefined) {
  return [
    rightsOf(user),
    NAMESPACES,
    mounts.flatMap(mountWords),
    // Whole: the kernel gives no fresh one below it to who sees less than all of it.
    ['--proc', '/proc'],
    mountWords({ kind: 'devices', terminals: false }),
    PLACES_IN_DEVICES,
    ['--perms', '0700', '--size', '65536', '--tmpfs', '/door', '--dir', '/new'],
    ['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/'],
    ['--info-fd', String(ZYGOTE_FDS.info)],
    libraryWords(interpreter),
  ].flat()
}

/** Of file systems that each fork has for itself; all else in /dev is the same for all. */
const PLACES_IN_DEVICES = [
  ['/dev/pts', '/dev/shm'].flatMap((target) => mountWords({ kind: 'folder', target })),
  mountWords({ kind: 'link', to: 'pts/ptmx', target: '/dev/ptmx' }),
].flat()

/** An ordinary user is one inside as well, and with root there are users for every run at hand. */
function rightsOf(user: number | undefined): string[] {
  const own = String(user ?? ORDINARY_USER)
  const rights = [...RIGHTS, ...(user === undefined ? [] : ['SETUID', 'SETGID'])]
  return [
    ['--unshare-user', '--uid', own, '--gid', own, '--cap-drop', 'ALL'],
    user === undefined ? [] : ['--userns-block-fd', String(ZYGOTE_FDS.mapped)],
    rights.flatMap((each) => ['--cap-add', `CAP_${each}`]),
  ].flat()
}

/** What it takes to make the namespaces and mounts of a run, in the zygote's own namespace of users. */
const RIGHTS = ['SYS_ADMIN', 'SYS_CHROOT', 'SETPCAP', 'NET_ADMIN']

/** What is laid out already. */
function fromInside(mount: Mount): Mount {
  return mount.kind === 'bind' ? { ...mount, source: mount.target } : mount
}

/** What every fork begins with, seen from the zygote's own root. */
export function baseSteps(folder: ZygoteFolder, interpreter: Interpreter): LeafStep[] {
  const mounts = systemMounts(folder, interpreter)
  const targets = mounts.flatMap((mount) => (mount.kind === 'bind' ? [mount.target] : []))
  const system = mounts.flatMap((mount): LeafStep[] => {
    const isEtc = mount.kind === 'bind' && mount.target === '/etc'
    return isEtc ? etcSteps(folder, targets) : [fromInside(mount)]
  })
  return [...system, ...kernelMounts({ terminals: true })]
}

/** The path of something staged, as the zygote sees it. */
export function insideZygote(folder: ZygoteFolder, path: string): string {
  return STAGED + path.slice(folder.staged.length)
}

/** Accounts are each run's own; the rest is common. */
function etcSteps({ common, accounts }: ZygoteFolder, made: readonly string[]): LeafStep[] {
  const places = common.map((name) => `/etc/${name}`).filter((place) => !made.includes(place))
  return [
    ...places.map((place): LeafStep => ({ kind: 'bind', source: place, target: place })),
    ...Object.entries(accounts).map(([name, text]): LeafStep => ({
      kind: 'file',
      target: `/etc/${name}`,
      text,
    })),
  ]
}
