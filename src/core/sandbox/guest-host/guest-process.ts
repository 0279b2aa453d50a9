import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import type { Duplex, Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { cancelledError, toSkillsError } from '../../../errors.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { EndReason, Limits, SandboxExit } from '../backend.ts'
import type { ControlGroup } from '../cgroups/control-group.ts'
import { bufferStream, waitForStreamEnd } from './child-streams.ts'
import {
  ControlChannel,
  type GuestIdentity,
  type ReadyGuest,
  type ExitReport,
} from './control-channel.ts'
import { openWorkspaceHandle, type WorkspaceHandle } from '../rootfs/workspace-handle.ts'
import { GUEST_FOLDERS } from './guest-job.ts'
import type { KillBarrier } from './kill-barrier.ts'
import { lowerPriority } from './lower-priority.ts'
import type { SandboxNetwork } from '../network.ts'
import { startFailedError } from '../start-errors.ts'
import { openRunProcesses, type VisitedProcesses } from './run-processes.ts'
import { DiskWatch, type DiskFolder } from './watch-disk.ts'
import { LimitWatch } from './watch-limits.ts'

const DRAIN_MS = 10_000
const RETRY_MS = 20
const MAX_TRIES = 50

/** A started guest, independent of its backend. */
export interface StartedGuest {
  stdout: Readable
  stderr: Readable
  /** stdin of a program that reads input. */
  stdin?: Writable | undefined
  control: Duplex
  channel: Duplex
  /**
   * Host PID of the guest's first process; never resolves if that died earlier. Undefined for a
   * process on another machine.
   */
  init: Promise<number | undefined>
  /** Resolves when every process of the run is dead. */
  dead: Promise<void>
  /** Outcome, if another process than the guest reports it. */
  exitReport?(): ExitReport | undefined
  /** Kills every process immediately. Safe to call repeatedly. */
  killAll(): void
  /** Keeps this process from exiting only while `isHeld`: the sandbox ends with it anyway. */
  holdHost?(isHeld: boolean): void
  /** Control group with limits and counters, if available. */
  group: ControlGroup | undefined
  /** True if other runs get the processor first. */
  hasLowPriority: boolean
  limits: Limits
  /** Folders inside that are filesystems of this run; their files are counted. */
  ownFileSystems: readonly string[]
  /** Path inside of the run's own procfs, by which its memory is counted without a group. */
  procfs?: string
  /** True if the kernel denies this process access to its root as soon as the job is there. */
  isClosedByJob?: boolean
  /**
   * True if the guest hides the path of its control group when it takes its identity, so that it must
   * have joined the group before.
   */
  hidesGroup?: boolean
  /** Makes writes fail while the folders are full. The end of a process leaves the others then. */
  onFull?: ((isFull: boolean) => void) | undefined
  /** Host folders of this run that only polling can bound. */
  disk?: readonly DiskFolder[] | undefined
  /** Opens the processes that hold files of the run; defaults to those of its PID namespace. */
  openProcesses?: (init: number) => VisitedProcesses | undefined
  /** Path of the workspace; defaults to the guest's own /workspace. */
  workspace?(): string
  /** Removes the run's files on the host. */
  remove(): Promise<void> | void
  /** Folder that the workspace is copied to after the run; must not exist yet. */
  keepIn: string | undefined
  /** Egress whose sockets the guest binds before it drops its privileges. */
  network?: SandboxNetwork | undefined
}

/** Follows a guest from its start to its end, for every backend. */
export class GuestProcess {
  readonly channel: Readable
  readonly answers: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly stdin: Writable | undefined
  readonly exited: Promise<SandboxExit>
  /** Identity inside; rejects if the sandbox did not start. */
  readonly ready: Promise<ReadyGuest>
  #guest: StartedGuest
  #killBarrier: KillBarrier
  #control: ControlChannel
  #endReason: EndReason | undefined
  #workspace: WorkspaceHandle | undefined
  #limitWatch: LimitWatch
  #diskWatch: DiskWatch | undefined

  constructor(guest: StartedGuest, killBarrier: KillBarrier) {
    this.#guest = guest
    this.#killBarrier = killBarrier
    this.channel = bufferStream(guest.channel)
    this.answers = guest.channel
    this.stdout = bufferStream(guest.stdout)
    this.stderr = bufferStream(guest.stderr)
    this.stdin = guest.stdin
    this.stdin?.on('error', () => {})
    // A sandbox that dies early closes these streams; `exited` reports the outcome.
    for (const each of listOutputStreams(guest)) each.on('error', () => {})
    this.#control = new ControlChannel(guest.control)
    const { limits, group, onFull } = guest
    this.#limitWatch = new LimitWatch({
      limits,
      group,
      survivesMemory: onFull !== undefined,
      kill: (why) => this.kill(why),
    })
    this.#diskWatch = this.#watchDisk()
    this.ready = this.#waitUntilReady()
    this.exited = this.#waitForExit()
    this.exited.catch(() => {})
  }

  /**
   * Sends the job once the process is in its control group: the guest runs no skill code before.
   * Joining a group can take the kernel as long as Python takes to start, so both run concurrently.
   */
  start(identity: GuestIdentity | undefined, job: () => PlainObject): void {
    const { network, hidesGroup } = this.#guest
    if (network) this.#control.requestListeners(network)
    // A fork has its identity already.
    const setIdentity = () => identity !== undefined && this.#control.setIdentity(identity)
    if (hidesGroup !== true) setIdentity()
    void this.#sendJob(job, hidesGroup === true ? setIdentity : undefined)
  }

  async #sendJob(job: () => PlainObject, setIdentity?: () => void): Promise<void> {
    const init = await this.#guest.init
    if (this.#endReason) return this.#guest.killAll()
    try {
      await this.#joinControlGroup(init)
      if (this.#guest.hasLowPriority) lowerPriority(this.#guest.group, init)
      setIdentity?.()
      await this.#watchOpenFiles(init)
      if (this.#guest.keepIn !== undefined) {
        await this.#control.up
        this.#workspace = openWorkspaceHandle(
          this.#guest.workspace?.() ?? `/proc/${init}/root/workspace`,
        )
      }
    } catch (error) {
      this.#control.exitReport.failure = `limits could not be set: ${(error as Error).message}`
      return this.#guest.killAll()
    }
    if (init !== undefined && this.#countsFirst()) await this.#countFiles(init)
    await this.#control.sendJob(job())
    if (init !== undefined && !this.#countsFirst()) void this.#countFiles(init)
  }

  /** Code whose memory is counted by its processes must not begin before that. */
  #countsFirst(): boolean {
    const { isClosedByJob = false, group, procfs } = this.#guest
    return isClosedByJob || (group === undefined && procfs !== undefined)
  }

  async #watchOpenFiles(init: number | undefined): Promise<void> {
    if (!this.#diskWatch || init === undefined) return
    await this.#control.up
    try {
      const { openProcesses = openRunProcesses } = this.#guest
      this.#diskWatch.watchProcesses(openProcesses(init))
    } catch (error) {
      if (existsSync(`/proc/${init}`)) throw error
    }
  }

  async #countFiles(init: number): Promise<void> {
    await this.#control.up
    const { ownFileSystems, procfs, group } = this.#guest
    const top = `/proc/${init}/root`
    const folders = ownFileSystems.map((folder) => top + folder)
    const inside = {
      folders,
      workspace: top + GUEST_FOLDERS.workspace,
      memory:
        group === undefined && procfs !== undefined
          ? { procfs: top + procfs, network: `/proc/${init}/net` }
          : undefined,
    }
    for (let tries = 1; ; tries++) {
      try {
        return this.#limitWatch.watchInside(inside)
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        // A dead process creates no more files. For one that is exiting, the kernel reports EACCES.
        if (code === 'ENOENT' || !existsSync(`/proc/${init}`)) return
        if (code !== 'EACCES' || tries === MAX_TRIES) {
          const shortage = toSkillsError(error)
          this.#control.exitReport.failure =
            shortage.code === 'host/exhausted'
              ? shortage.message
              : `files cannot be counted: ${message}`
          return this.#guest.killAll()
        }
      }
      await sleep(RETRY_MS)
    }
  }

  async #joinControlGroup(init = 0): Promise<void> {
    try {
      await this.#guest.group?.add(init)
    } catch (error) {
      // A dead process needs no limits; the reason of its death is reported elsewhere.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }

  resize(columns: number, rows: number): void {
    this.#control.resize(columns, rows)
  }

  waitsAfter(): Promise<number | null> {
    return this.#control.waitsAfter()
  }

  signal(name: NodeJS.Signals): void {
    this.#control.signal(constants.signals[name])
  }

  countKills(): { memory: number; processes: number } {
    const { group } = this.#guest
    return { memory: this.#limitWatch.memoryKills, processes: group?.refusedProcesses() ?? 0 }
  }

  countCpuMs(): number | undefined {
    return this.#guest.group?.cpuMs?.()
  }

  holdHost(isHeld: boolean): void {
    this.#guest.holdHost?.(isHeld)
    this.#limitWatch.holdHost(isHeld)
    this.#diskWatch?.holdHost(isHeld)
  }

  kill(why: EndReason): void {
    if (this.#endReason === undefined) this.#killBarrier.add(this.#guest.dead)
    this.#endReason ??= why
    this.#guest.killAll()
    this.#limitWatch.pause()
    this.#diskWatch?.pause()
  }

  async #waitUntilReady(): Promise<ReadyGuest> {
    const died = this.#guest.dead.then(async () => await waitForStreamEnd(this.#guest.control))
    const inside = await Promise.race([this.#control.ready, died])
    if (inside) return inside
    const errorOutput: Buffer[] = []
    this.stderr.on('data', (chunk: Buffer) => errorOutput.push(chunk))
    for (const each of [this.stdout, this.channel]) each.resume()
    await this.exited
    const why =
      this.#control.exitReport.failure ?? Buffer.concat(errorOutput).toString('utf8').trim()
    if (this.#endReason === 'cancelled') throw cancelledError()
    throw startFailedError(why)
  }

  async #waitForExit(): Promise<SandboxExit> {
    const { group, dead } = this.#guest
    await dead
    if (this.#endReason !== undefined) await this.#killBarrier.waitForKilledRuns()
    const hits = this.#limitWatch.finish()
    await this.#diskWatch?.finish()
    await group?.remove()
    const kept = await this.#copyWorkspace()
    await this.#guest.remove()
    // The exit report and other last output may still be unread.
    await Promise.race([
      Promise.all(listOutputStreams(this.#guest).map(waitForStreamEnd)),
      sleep(DRAIN_MS, undefined, { ref: false }),
    ])
    for (const each of listOutputStreams(this.#guest)) this.#closeOutput(each)
    const report = { ...this.#guest.exitReport?.(), ...this.#control.exitReport }
    const { exit, signal, failure, cpu_ms: reportedCpuMs, not_started: notStarted } = report
    return {
      kept,
      exitCode: exit ?? null,
      signal: signal ?? null,
      endedBecause: this.#endReason,
      ...hits,
      cpuMs: hits.cpuMs ?? reportedCpuMs,
      failure,
      ...(notStarted && { notStarted }),
    }
  }

  /** Output that waits for a slow reader is kept until it is read, unless the run was killed. */
  #closeOutput(stream: Readable): void {
    if (stream.isPaused() && this.#endReason === undefined)
      stream.once('end', () => stream.destroy())
    else stream.destroy()
  }

  #watchDisk(): DiskWatch | undefined {
    const { disk, limits, onFull } = this.#guest
    if (disk === undefined || disk.length === 0) return undefined
    const limit = { bytes: limits.workspaceBytes, entries: limits.inodes }
    const onExceeded = (why: EndReason) => this.kill(why)
    return new DiskWatch({ folders: disk, limit, onFull, onExceeded })
  }

  async #copyWorkspace(): Promise<SandboxExit['kept']> {
    const { keepIn } = this.#guest
    if (keepIn === undefined || !this.#workspace) return undefined
    try {
      // A sandbox that died before it received its job is replaced by a new one, which writes the
      // folder instead. Messages of the dead one may still be unread.
      const messagesEnded = waitForStreamEnd(this.#guest.control)
      const hasStarted = await Promise.race([
        this.#control.ready,
        messagesEnded,
        sleep(DRAIN_MS, undefined, { ref: false }),
      ])
      if (!hasStarted) return undefined
      return await this.#workspace.copyTo(keepIn, this.#guest.limits.workspaceBytes)
    } catch (error) {
      // The system's message would reveal a path of the host.
      const { code, message } = error as NodeJS.ErrnoException
      return { problem: code ?? message }
    } finally {
      this.#workspace.close()
    }
  }
}

function listOutputStreams({ stdout, stderr, control, channel }: StartedGuest): Readable[] {
  return [stdout, stderr, control, channel]
}
