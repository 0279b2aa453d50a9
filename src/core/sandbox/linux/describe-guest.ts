import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SandboxRequest } from '../backend.ts'
import type { ControlGroup } from '../cgroups/control-group.ts'
import { getChildStream, holdForChild, waitForStreamEnd } from '../guest-host/child-streams.ts'
import { GUEST_FOLDERS } from '../guest-host/guest-job.ts'
import { selectWatchedLimits } from '../guest-host/guest-limits.ts'
import type { StartedGuest } from '../guest-host/guest-process.ts'
import type { HostMounts } from '../rootfs/host-mounts.ts'
import { OWN_FILE_SYSTEMS } from '../rootfs/mounts.ts'
import type { StagedFiles } from '../rootfs/stage-files.ts'
import { killProcess } from '../../../util/kill-process.ts'
import { RUN_FDS, type Launcher } from './launcher.ts'
import { isOrphan, killOrphans } from './orphans.ts'
import { readInitPid } from './read-init-pid.ts'

/** Time for bwrap to create the first process. */
const INIT_PID_TIMEOUT_MS = 2000
const POLL_MS = 5

/** Describes the guest of a launcher, with its streams and the ways to kill it. */
export function describeLinuxGuest(
  child: ChildProcess,
  context: {
    request: SandboxRequest
    staged: StagedFiles
    group: ControlGroup | undefined
    hostMounts: HostMounts
    launcher: Pick<Launcher, 'becomesGuest'>
    asRoot: boolean
  },
): StartedGuest {
  let init: number | undefined
  const initPid = readInitPid(getChildStream(child, RUN_FDS.info)).then((pid) => (init = pid))
  let isAwaited = false
  const killAll = () => {
    if (init !== undefined) return killInit(child, init)
    if (!isAwaited) killIfSilent(child, initPid)
    isAwaited = true
  }
  const exit = new Promise<void>((resolve) => {
    child.on('error', () => resolve())
    child.on('exit', () => resolve())
  })
  return {
    stdout: getChildStream(child, 1),
    stderr: getChildStream(child, 2),
    stdin: child.stdin ?? undefined,
    control: getChildStream(child, RUN_FDS.control),
    channel: getChildStream(child, RUN_FDS.channel),
    init: initPid,
    dead: exit.then(async () => await killOrphanedChild(child, initPid)),
    killAll,
    holdHost: (isHeld) => holdForChild(child, isHeld),
    group: context.group && {
      ...context.group,
      add: async (pid) => await addToGroup(context.group, pid, child),
    },
    hasLowPriority: context.request.hasLowPriority === true,
    ...selectWatchedLimits(context.request),
    ownFileSystems: [
      ...OWN_FILE_SYSTEMS.filter(
        (folder) =>
          folder !== GUEST_FOLDERS.workspace || context.hostMounts.workspace === undefined,
      ),
      ...context.hostMounts.inMemory,
    ],
    procfs: '/proc',
    isClosedByJob: context.launcher.becomesGuest && !context.asRoot,
    hidesGroup: context.launcher.becomesGuest,
    disk: context.hostMounts.watched,
    remove: () => {
      for (const fd of [RUN_FDS.args, RUN_FDS.seccomp, RUN_FDS.info])
        getChildStream(child, fd).destroy()
      context.staged.remove()
    },
    keepIn: context.request.keepIn,
    network: context.request.network,
  }
}

/** Ignores errors for a process that has exited, since its group may be removed already. */
async function addToGroup(group: ControlGroup | undefined, pid: number, child: ChildProcess) {
  try {
    await group?.add(pid)
  } catch (error) {
    if (!hasExited(child)) throw error
  }
}

/** Kills PID 1 first: bwrap exits only after the kernel has killed all processes below it. */
function killInit(child: ChildProcess, init: number): void {
  if (hasExited(child)) return
  try {
    process.kill(init, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/**
 * Waits until bwrap has reported PID 1, which is then killed at once, and kills bwrap only after a
 * timeout: killed earlier, bwrap could leave a child that waits for it for ever.
 */
function killIfSilent(child: ChildProcess, initPid: Promise<number>): void {
  if (hasExited(child)) return
  const timer = setTimeout(() => child.kill('SIGKILL'), INIT_PID_TIMEOUT_MS)
  void initPid.then(() => clearTimeout(timer))
  child.once('exit', () => clearTimeout(timer))
}

/**
 * Kills the child that a killed bwrap leaves behind; it may have changed its user and would outlive
 * bwrap.
 */
async function killOrphanedChild(child: ChildProcess, initPid: Promise<number>): Promise<void> {
  if (child.signalCode === null) return
  killOrphans()
  const init = await Promise.race([initPid, waitForStreamEnd(getChildStream(child, RUN_FDS.info))])
  if (init !== undefined) await killOrphan(init)
}

async function killOrphan(init: number): Promise<void> {
  while (isOrphan(init)) {
    killProcess(init)
    await sleep(POLL_MS)
  }
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
