import type { BackendProbe, Interpreter, SandboxRequest } from '../backend.ts'
import type { GuestNeeds } from '../guest-host/guest-parts.ts'
import type { HostMounts } from '../rootfs/host-mounts.ts'
import type { RootfsMount } from '../rootfs/mounts.ts'
import type { StagedFiles } from '../rootfs/stage-files.ts'
import type { ZygoteMount } from '../warm/tool-folders.ts'
import type { ZygoteFolder } from '../warm/zygote-folder.ts'

/** File descriptors shared by a launcher and the guest of a run. */
export const RUN_FDS = { args: 3, seccomp: 4, info: 5, control: 6, channel: 7, handles: 8 }

/** File descriptors shared by the launchers of a zygote and the zygote. */
export const ZYGOTE_FDS = { args: 3, info: 4, mapped: 5, host: 6, outerArgs: 7 }

/** User id inside for runs that a non-root user starts. */
export const ORDINARY_UID = 1000

/** Backends that isolate by namespaces of this kernel. */
export type LauncherName = 'namespaces' | 'bubblewrap'

/**
 * Program that creates the namespaces and the root filesystem of a sandbox. It stays outside as the
 * parent of the first process, whose pid it reports, and exits when that is dead.
 */
export interface Launcher {
  readonly name: LauncherName
  /** One line, for people. */
  readonly summary: string
  probe(env: SandboxRequest['env']): Promise<BackendProbe>
  /** Throws if it cannot be used on this machine. */
  check(env: SandboxRequest['env']): void
  /**
   * True if the first process does not execute a program in its user namespace: the kernel then
   * keeps this user out of its files in /proc once it is not dumpable.
   */
  readonly becomesGuest: boolean
  /** Guest modules that it needs. */
  describeNeeds(interpreter: Interpreter): GuestNeeds
  buildRun(request: SandboxRequest, run: RunToLaunch): LaunchCommand
  buildZygote(options: ZygoteOptions): ZygoteCommand
}

/** Start of one run, with everything that was prepared for it. */
export interface RunToLaunch {
  staged: StagedFiles
  interpreter: Interpreter
  /** True if the run has a user id of its own instead of a user namespace. */
  asRoot: boolean
  hostMounts: HostMounts
  /** True if a control group counts its memory. */
  grouped: boolean
}

export interface LaunchCommand {
  argv: readonly string[]
  cwd: string
  env: Readonly<Record<string, string>>
  /** Content of the descriptor for arguments. */
  args: string
  /** Mounts of the run. */
  mounts: readonly RootfsMount[]
}

/** A zygote to launch. */
export interface ZygoteOptions {
  env: SandboxRequest['env']
  folder: ZygoteFolder
  interpreter: Interpreter
  /** Mounts of programs, including /usr and the interpreter. */
  mounts: readonly ZygoteMount[]
  /** User id of the zygote; undefined unless root starts it. */
  user: number | undefined
}

export interface ZygoteCommand extends Omit<LaunchCommand, 'env' | 'mounts'> {
  env?: LaunchCommand['env']
  /** Content of the second descriptor for arguments, that of the outer launcher. */
  outerArgs: string
}
