import { buildProgramJob } from '../../sandbox/guest-host/guest-job.ts'
import type { Limits, SandboxExit, SandboxProcess, SandboxProgram } from '../../sandbox/backend.ts'
import { CommandProcess, type CommandSandbox } from './command-process.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { SharedEnd } from './describe-end.ts'
import { encodeFrame, CommandFrameReader, REQUEST } from './command-frames.ts'
import { OUTPUT_CREDIT } from './command-output.ts'
import { describeFull, describeKills, type KernelKills } from './session-limits.ts'

/** Limits of the sandbox, and the report of those that a command has met. */
interface LimitReport {
  limits: Limits
  warn: (text: string) => void
}

/** A sandbox that serves the commands of one session with equal permissions. */
export class SharedSandbox {
  readonly exited: Promise<SandboxExit>
  /** Time of the last start or end of a command, from a monotonic clock. */
  usedMs: number = performance.now()
  endedFor: SharedEnd | undefined
  #process: SandboxProcess
  #commands = new Map<number, CommandProcess>()
  #lastNumber = 0
  #reader = new CommandFrameReader()
  #countedCpuMs = 0
  #countedKills: KernelKills = { memory: 0, processes: 0 }
  #isFull = false
  #reports = new Set<LimitReport>()
  #isOver = false

  constructor(process: SandboxProcess) {
    this.#process = process
    process.answers.on('error', () => {})
    process.channel.on('data', (chunk: Buffer) => this.#receive(chunk))
    for (const each of [process.stdout, process.stderr]) each.resume()
    this.exited = process.exited.then((exit) => {
      this.#isOver = true
      for (const each of this.#commands.values()) each.endWithSandbox(exit)
      this.#commands.clear()
      return exit
    })
    process.holdHost?.(false)
  }

  get isOver(): boolean {
    return this.#isOver || this.endedFor !== undefined
  }

  get isBusy(): boolean {
    return this.#commands.size > 0
  }

  /** Starts a command; its end leaves processes that it put in the background. */
  start(program: SandboxProgram, report: LimitReport): SandboxProcess {
    const hasInput = program.stdin === 'pipe' || program.terminal !== undefined
    // Processes in the background may have met limits since the last command.
    this.#reportKills(report)
    if (this.#isFull) report.warn(describeFull(report.limits))
    this.#reports.add(report)
    const { command } = this.startCommand(
      (sandbox) => new CommandProcess(sandbox, { hasInput }),
      () => buildProgramJob(program),
    )
    void command.exited.finally(() => {
      this.#reports.delete(report)
      this.#reportKills(report)
    })
    return command
  }

  /** Makes writes of all processes fail, or no longer. */
  setFull(isFull: boolean): void {
    if (isFull && !this.#isFull) {
      for (const { warn, limits } of this.#reports) warn(describeFull(limits))
    }
    this.#isFull = isFull
    this.#send(isFull ? REQUEST.full : REQUEST.room, 0, Buffer.alloc(0))
  }

  #reportKills({ limits, warn }: LimitReport): void {
    const kills = this.isOver ? undefined : this.#process.countKills?.()
    if (!kills) return
    for (const each of describeKills(kills, this.#countedKills, limits)) warn(each)
    this.#countedKills = kills
  }

  /** Starts a command of the guest, which gets the job of its number. */
  startCommand<Command extends CommandProcess>(
    create: (sandbox: CommandSandbox) => Command,
    describe: (credit: number) => PlainObject,
  ): { command: Command; number: number } {
    this.#lastNumber += 1
    const number = this.#lastNumber
    const send = (opcode: number, payload: Uint8Array = Buffer.alloc(0)) =>
      this.#send(opcode, number, payload)
    const command = create({
      isolation: this.#process.isolation,
      send,
      giveUp: () => this.end('stuck'),
      takeCpuMs: () => this.#takeCpuMs(),
    })
    this.usedMs = performance.now()
    this.holdHost(true)
    this.#commands.set(number, command)
    void command.exited.then((exit) => this.#forget(number, exit))
    const job = { ...describe(OUTPUT_CREDIT), credit: OUTPUT_CREDIT }
    send(REQUEST.start, Buffer.from(JSON.stringify(job)))
    return { command, number }
  }

  /** Keeps this process from exiting only while `isHeld`. */
  holdHost(isHeld: boolean): void {
    this.#process.holdHost?.(isHeld)
  }

  /** Kills all of its processes. */
  end(why: SharedEnd): void {
    this.endedFor ??= why
    this.#process.kill('cancelled')
    this.#process.holdHost?.(true)
  }

  #forget(number: number, { notStarted }: SandboxExit): void {
    this.#commands.delete(number)
    // Without room for another process, no command could end those in the background.
    if (notStarted?.step === 'fork' && !this.isBusy) this.end('full')
    this.usedMs = performance.now()
    if (this.#commands.size === 0 && !this.isOver) this.#process.holdHost?.(false)
  }

  #send(opcode: number, number: number, payload: Uint8Array): void {
    const { answers } = this.#process
    if (answers.writable) answers.write(encodeFrame(opcode, number, payload))
  }

  #receive(chunk: Buffer): void {
    const frames = this.#reader.push(chunk)
    if (!frames) return this.end('stuck')
    for (const { opcode, command, payload } of frames) {
      if (this.#commands.get(command)?.receive(opcode, payload) === false) this.end('stuck')
    }
  }

  /** Processor time since the last call, of all processes, also of those in the background. */
  #takeCpuMs(): number | undefined {
    const total = this.#process.countCpuMs?.()
    if (total === undefined) return undefined
    const used = total - this.#countedCpuMs
    this.#countedCpuMs = total
    return Math.max(0, used)
  }
}
