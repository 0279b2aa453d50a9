import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import type { Duplex, Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { cancelled } from '../../../errors.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { EndReason, Limits, SandboxExit } from '../backend.ts'
import type { ControlGroup } from '../cgroups/control-group.ts'
import { buffered, ended } from './child-streams.ts'
import { ControlChannel, type Becomes, type Inside, type LastWords } from './control-channel.ts'
import { holdWorkspace, type HeldWorkspace } from '../rootfs/held-workspace.ts'
import type { KillBarrier } from './kill-barrier.ts'
import type { SandboxNetwork } from '../network.ts'
import { didNotStart } from '../unavailable.ts'
import { DiskWatch } from './watch-disk.ts'
import { LimitWatch } from './watch-limits.ts'

const DRAIN_MS = 10_000
const TRY_AGAIN_MS = 20
const MAX_TRIES = 50

/** What a backend has started, in the terms that all of them share. */
export interface StartedGuest {
  stdout: Readable
  stderr: Readable
  /** Where a program reads what is written to it. */
  stdin?: Writable | undefined
  control: Duplex
  channel: Duplex
  /** The guest's first process as the host numbers it; never resolves where it died before. */
  init: Promise<number>
  /** Resolves when every process of the run is dead. */
  dead: Promise<void>
  /** How it ended, where somebody else than the guest tells. */
  lastWords?(): LastWords | undefined
  /** Ends all processes at once; called any number of times. */
  killAll(): void
  /** Limits over all processes and what they counted, where there are any. */
  group: ControlGroup | undefined
  limits: Limits
  /** Folders inside that are file systems of the run's own, whose files are counted. */
  ownFileSystems: readonly string[]
  /** Folders of the host that are the run's own, which nothing but looking bounds. */
  disk?: readonly string[] | undefined
  /** Where the workspace lies, unless that is the guest's own /workspace. */
  workspace?(): string
  /** Removes what is left of it on the host. */
  remove(): Promise<void> | void
  /** A folder, not there yet, that the workspace is copied to in the end. */
  keepIn: string | undefined
  /** What the guest binds sockets for, before it gives up the right to. */
  network?: SandboxNetwork | undefined
}

/** Follows a guest from its first word to its end, whatever it was started by. */
export class GuestProcess {
  readonly channel: Readable
  readonly answers: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly stdin: Writable | undefined
  readonly exited: Promise<SandboxExit>
  /** What the guest is inside; rejects where the sandbox did not come up. */
  readonly ready: Promise<Inside>
  #guest: StartedGuest
  #killed: KillBarrier
  #control: ControlChannel
  #reason: EndReason | undefined
  #workspace: HeldWorkspace | undefined
  #watch: LimitWatch
  #disk: DiskWatch | undefined

  constructor(guest: StartedGuest, killed: KillBarrier) {
    this.#guest = guest
    this.#killed = killed
    this.channel = buffered(guest.channel)
    this.answers = guest.channel
    this.stdout = buffered(guest.stdout)
    this.stderr = buffered(guest.stderr)
    this.stdin = guest.stdin
    this.stdin?.on('error', () => {})
    // A sandbox that dies early closes these under us; how it ended is told by its exit.
    for (const each of wiresOf(guest)) each.on('error', () => {})
    this.#control = new ControlChannel(guest.control)
    const { limits, group } = guest
    this.#watch = new LimitWatch({ limits, group, kill: (why) => this.kill(why) })
    this.#disk = this.#watchDisk()
    this.ready = this.#listen()
    this.exited = this.#end()
    this.exited.catch(() => {})
  }

  /**
   * Hands over the job once the process is in its group: the guest runs nothing of a skill before.
   * The kernel may take as long for that as Python for its start, so they go on side by side.
   */
  begin(who: Becomes | undefined, job: () => PlainObject): void {
    const { network } = this.#guest
    if (network) this.#control.listen(network)
    // A forked one knows already.
    if (who !== undefined) this.#control.become(who)
    void this.#handOver(job)
  }

  async #handOver(job: () => PlainObject): Promise<void> {
    const init = await this.#guest.init
    if (this.#reason) return this.#guest.killAll()
    try {
      await this.#limit(init)
      if (this.#guest.keepIn !== undefined) {
        await this.#control.up
        this.#workspace = holdWorkspace(this.#guest.workspace?.() ?? `/proc/${init}/root/workspace`)
      }
    } catch (error) {
      this.#control.told.failure = `limits could not be set: ${(error as Error).message}`
      return this.#guest.killAll()
    }
    this.#control.handOver(job())
    void this.#countFiles(init)
  }

  async #countFiles(init: number): Promise<void> {
    await this.#control.up
    const folders = this.#guest.ownFileSystems.map((folder) => `/proc/${init}/root${folder}`)
    for (let tries = 1; ; tries++) {
      try {
        return this.#watch.countFilesIn(folders)
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        // What is dead makes no more files; of what is dying the kernel says that it is forbidden.
        if (code === 'ENOENT' || !existsSync(`/proc/${init}`)) return
        if (code !== 'EACCES' || tries === MAX_TRIES) {
          this.#control.told.failure = `files cannot be counted: ${message}`
          return this.#guest.killAll()
        }
      }
      await sleep(TRY_AGAIN_MS)
    }
  }

  async #limit(init: number): Promise<void> {
    try {
      await this.#guest.group?.add(init)
    } catch (error) {
      // What is dead needs no limits, and why it died is told elsewhere.
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

  kill(why: EndReason): void {
    if (this.#reason === undefined) this.#killed.add(this.#guest.dead)
    this.#reason ??= why
    this.#guest.killAll()
    this.#watch.rest()
    this.#disk?.rest()
  }

  async #listen(): Promise<Inside> {
    const lost = this.#guest.dead.then(async () => await ended(this.#guest.control))
    const inside = await Promise.race([this.#control.ready, lost])
    if (inside) return inside
    const said: Buffer[] = []
    this.stderr.on('data', (chunk: Buffer) => said.push(chunk))
    for (const each of [this.stdout, this.channel]) each.resume()
    await this.exited
    const why = this.#control.told.failure ?? Buffer.concat(said).toString('utf8').trim()
    if (this.#reason === 'cancelled') throw cancelled()
    throw didNotStart(why)
  }

  async #end(): Promise<SandboxExit> {
    const { group, dead } = this.#guest
    await dead
    if (this.#reason !== undefined) await this.#killed.wait()
    const hits = this.#watch.end()
    await this.#disk?.end()
    await group?.remove()
    const kept = await this.#keep()
    await this.#guest.remove()
    // How it ended may still be unread, as may anything else that was said last.
    await Promise.race([
      Promise.all(wiresOf(this.#guest).map(ended)),
      sleep(DRAIN_MS, undefined, { ref: false }),
    ])
    for (const each of wiresOf(this.#guest)) each.destroy()
    const words = { ...this.#guest.lastWords?.(), ...this.#control.told }
    const { exit, signal, failure, cpu_ms: told, not_started: notStarted } = words
    return {
      kept,
      exitCode: exit ?? null,
      signal: signal ?? null,
      endedBecause: this.#reason,
      ...hits,
      cpuMs: hits.cpuMs ?? told,
      failure,
      ...(notStarted && { notStarted }),
    }
  }

  #watchDisk(): DiskWatch | undefined {
    const { disk, limits } = this.#guest
    if (disk === undefined || disk.length === 0) return undefined
    const most = { bytes: limits.workspaceBytes, entries: limits.inodes }
    return new DiskWatch({ folders: disk, most, onFull: () => this.kill('disk') })
  }

  async #keep(): Promise<SandboxExit['kept']> {
    const { keepIn } = this.#guest
    if (keepIn === undefined || !this.#workspace) return undefined
    try {
      // A sandbox that died before it had its job is replaced by another one, which keeps the folder.
      // Its last messages may still be unread.
      const unsaid = ended(this.#guest.control)
      const hasBegun = await Promise.race([
        this.#control.ready,
        unsaid,
        sleep(DRAIN_MS, undefined, { ref: false }),
      ])
      if (!hasBegun) return undefined
      return { leftOut: await this.#workspace.copyTo(keepIn, this.#guest.limits.workspaceBytes) }
    } catch (error) {
      // The system's own words name a path that is none of the caller's.
      const { code, message } = error as NodeJS.ErrnoException
      return { problem: code ?? message }
    } finally {
      this.#workspace.close()
    }
  }
}

function wiresOf({ stdout, stderr, control, channel }: StartedGuest): Readable[] {
  return [stdout, stderr, control, channel]
}
