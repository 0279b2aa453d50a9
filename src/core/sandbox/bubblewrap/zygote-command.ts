import type { Interpreter } from '../backend.ts'
import { PYTHON_FLAGS } from '../guest-host/python-flags.ts'
import {
  ORDINARY_UID,
  ZYGOTE_FDS,
  type ZygoteCommand,
  type ZygoteOptions,
} from '../linux/launcher.ts'
import type { RootfsMount } from '../rootfs/mounts.ts'
import { planVisibleMounts, planZygoteMounts, rebindFromTarget } from '../warm/zygote-mounts.ts'
import {
  buildLibraryArguments,
  buildMountArguments,
  encodeArguments,
  NAMESPACE_ARGUMENTS,
} from './bubblewrap-arguments.ts'

/**
 * Builds the command of a zygote in bwrap. It sees no host files except /usr, the interpreter, the
 * guest and the staging folder. For root, the zygote has another user id, which cannot enter root's
 * folders: an outer bwrap therefore mounts them first.
 */
export function buildBubblewrapZygote(program: string, options: ZygoteOptions): ZygoteCommand {
  const { folder, interpreter, mounts: programs, user } = options
  const visible = planVisibleMounts(folder, interpreter, programs)
  const zygote = [interpreter.executable, ...PYTHON_FLAGS, '/guest/zygote.py']
  const inner = [program, '--args', String(ZYGOTE_FDS.args), '--', ...zygote]
  const toArguments = (mounts: RootfsMount[]) => buildZygoteArguments(mounts, interpreter, user)
  if (user === undefined)
    return { argv: inner, args: encodeArguments(toArguments(visible)), outerArgs: '', cwd: '/' }
  const setUid = [interpreter.executable, '-I', '-S', '-c', SET_UID_AND_EXEC, String(user)]
  return {
    argv: [program, '--args', String(ZYGOTE_FDS.outerArgs), '--', ...setUid, ...inner],
    args: encodeArguments(toArguments(visible.map(rebindFromTarget))),
    outerArgs: encodeArguments(
      [
        [...visible, { kind: 'bind', source: program, target: program } as const].flatMap(
          buildMountArguments,
        ),
        ['--bind', '/proc', '/proc', '--dev-bind', '/dev', '/dev', '--dir', '/tmp', '--chdir', '/'],
        ['--cap-drop', 'ALL', '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID'],
        buildLibraryArguments(interpreter),
      ].flat(),
    ),
    cwd: '/',
  }
}

/**
 * Sets all user and group ids, so that no other can be taken later; the program that follows has no
 * capabilities.
 */
const SET_UID_AND_EXEC =
  'import os, sys; user = int(sys.argv[1]); os.setgroups([]); os.setresgid(user, user, user); ' +
  'os.setresuid(user, user, user); os.execv(sys.argv[2], sys.argv[2:])'

function buildZygoteArguments(
  mounts: RootfsMount[],
  interpreter: Interpreter,
  user: number | undefined,
) {
  return [
    buildCapabilities(user),
    NAMESPACE_ARGUMENTS,
    planZygoteMounts(mounts).flatMap(buildMountArguments),
    ['--chdir', '/'],
    ['--info-fd', String(ZYGOTE_FDS.info)],
    buildLibraryArguments(interpreter),
  ].flat()
}

/**
 * Capabilities and user ids of the zygote. An ordinary user has one id; root maps a range for the
 * runs.
 */
function buildCapabilities(user: number | undefined): string[] {
  const uid = String(user ?? ORDINARY_UID)
  const capabilities = [...ZYGOTE_CAPABILITIES, ...(user === undefined ? [] : ['SETUID', 'SETGID'])]
  return [
    ['--unshare-user', '--uid', uid, '--gid', uid, '--cap-drop', 'ALL'],
    user === undefined ? [] : ['--userns-block-fd', String(ZYGOTE_FDS.mapped)],
    capabilities.flatMap((each) => ['--cap-add', `CAP_${each}`]),
  ].flat()
}

/**
 * Capabilities to create the namespaces and mounts of a run, and to limit it, within the zygote's user namespace.
 */
const ZYGOTE_CAPABILITIES = ['SYS_ADMIN', 'SYS_CHROOT', 'SETPCAP', 'NET_ADMIN', 'SYS_RESOURCE']
