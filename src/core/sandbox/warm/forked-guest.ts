import { connect, type Socket } from 'node:net'
import type { ExitReport } from '../guest-host/control-channel.ts'
import { killProcess } from '../../../util/kill-process.ts'
import { encodeUint32 } from '../guest-host/encode-uint32.ts'
import type { GuestMountStep } from './zygote-mounts.ts'

/** Streams of a run, in the order of their connections. */
const STREAM_NAMES = ['control', 'channel', 'stdout', 'stderr', 'stdin'] as const

/** Role of a fork: the process of a skill or of code, or PID 1 of a program. */
export type GuestKind = 'code' | 'program' | 'program with input'

/** The number of a fork encodes its kind in these bits. */
export const KIND_BITS: Readonly<Record<GuestKind, number>> = {
  code: 0,
  program: 0x40000000,
  'program with input': 0xc0000000,
}

/** Time for the zygote to report a death before it is killed itself. */
const DEATH_REPORT_MS = 2000

/** A process that the zygote forked. */
export interface ForkedProcess {
  /** Host PID. */
  pid: number
}

export interface ListeningFork extends ForkedProcess {
  /** Path of the socket on which it accepts its streams. */
  socketPath: string
}

interface ForkedGuestOptions {
  kind: GuestKind
  /** Kills the zygote and with it all of its forks. */
  killZygote(): void
}

/** A forked process that waits for its run, and then belongs to it. */
export class ForkedGuest {
  /** Undefined if the fork failed. */
  readonly forked: Promise<ForkedProcess | undefined>
  /** Resolves when every process of its PID namespace is dead. */
  readonly dead: Promise<void>
  #streams: Socket[] = []
  #options: ForkedGuestOptions
  #resolveForked: (fork: ForkedProcess | undefined) => void = () => {}
  #resolveDead: () => void = () => {}
  #pid: number | undefined
  #isDead = false
  #isKilled = false
  #exitReport: ExitReport | undefined

  constructor(options: ForkedGuestOptions) {
    this.#options = options
    this.forked = new Promise((resolve) => (this.#resolveForked = resolve))
    this.dead = new Promise((resolve) => (this.#resolveDead = resolve))
  }

  get control(): Socket {
    return this.#stream('control')
  }

  get channel(): Socket {
    return this.#stream('channel')
  }

  get stdout(): Socket {
    return this.#stream('stdout')
  }

  get stderr(): Socket {
    return this.#stream('stderr')
  }

  get stdin(): Socket | undefined {
    return this.#hasInput ? this.#stream('stdin') : undefined
  }

  get #hasInput(): boolean {
    return this.#options.kind === 'program with input'
  }

  /** Outcome as reported by the zygote; undefined if this process killed the guest. */
  get exitReport(): ExitReport | undefined {
    return this.#isKilled ? undefined : this.#exitReport
  }

  /**
   * Sends the mount plan, which the guest applies while it is still privileged. With `isWithJob`,
   * it is sent together with the job.
   */
  sendMountPlan(steps: readonly GuestMountStep[], { isWithJob }: { isWithJob: boolean }): void {
    const body = Buffer.from(JSON.stringify(steps))
    if (isWithJob) this.control.cork()
    this.control.write(Buffer.concat([encodeUint32(body.length), body]))
  }

  /** Kills the guest and all processes below it, as soon as its PID is known. */
  kill(): void {
    if (this.#isDead || this.#isKilled) return
    this.#isKilled = true
    const timer = setTimeout(() => this.#options.killZygote(), DEATH_REPORT_MS)
    void this.dead.then(() => clearTimeout(timer))
    if (this.#pid !== undefined) killProcess(this.#pid)
  }

  /** Closes streams that are not read to their end. */
  destroy(): void {
    for (const stream of this.#streams) stream.destroy()
  }

  /** Called when the zygote has reported the fork. */
  onForked(forked: ListeningFork | undefined): void {
    this.#pid = forked?.pid
    if (this.#isKilled && forked) killProcess(forked.pid)
    else if (forked) this.#connect(forked.socketPath)
    this.#resolveForked(forked)
  }

  onExit(report: ExitReport): void {
    this.#exitReport = report
  }

  onDead(): void {
    if (this.#isDead) return
    this.#isDead = true
    this.#resolveForked(undefined)
    this.#resolveDead()
  }

  /**
   * The guest accepts its streams in the order of connection, so all connections are requested here
   * in one tick.
   */
  #connect(socketPath: string): void {
    const count = this.#hasInput ? STREAM_NAMES.length : STREAM_NAMES.length - 1
    this.#streams = Array.from({ length: count }, () => connect(socketPath))
    // The guest would wait for a missing connection for ever.
    for (const stream of this.#streams) {
      stream.on(
        'error',
        ({ syscall }: NodeJS.ErrnoException) => syscall === 'connect' && this.kill(),
      )
    }
  }

  #stream(name: (typeof STREAM_NAMES)[number]): Socket {
    return this.#streams[STREAM_NAMES.indexOf(name)] as Socket
  }
}
