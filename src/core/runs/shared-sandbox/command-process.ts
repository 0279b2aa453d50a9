import { constants } from 'node:os'
import { PassThrough, Readable, Writable } from 'node:stream'
import type { EndReason, SandboxExit, SandboxProcess } from '../../sandbox/backend.ts'
import type { Isolation } from '../../sandbox/isolation.ts'
import { REPORT, REQUEST } from './command-frames.ts'
import { CommandOutput } from './command-output.ts'

/** Bytes of input that the program may leave unread in the guest. */
const INPUT_CREDIT = 64 * 1024
/** Time for the guest to end the processes of a command. */
const KILL_MS = 10_000

/** The sandbox of a command. */
export interface CommandSandbox {
  isolation: Isolation
  send(opcode: number, payload?: Uint8Array): void
  /** Ends the whole sandbox, which did not end one command. */
  giveUp(): void
  /** Processor time since the last call; undefined if nothing counts it. */
  takeCpuMs(): number | undefined
}

/** Report of the guest about the end of a command. */
interface CommandEnd {
  exit?: number | null
  signal?: number | null
  cpu_ms?: number
  not_started?: { step: string; error: string }
}

/** One command of a shared sandbox. Its end leaves processes that it put in the background. */
export class CommandProcess implements SandboxProcess {
  readonly isolation: Isolation
  readonly channel: Readable
  readonly answers: Writable
  readonly stdout: CommandOutput
  readonly stderr: CommandOutput
  readonly stdin: Writable | undefined
  readonly exited: Promise<SandboxExit>
  #sandbox: CommandSandbox
  #resolveExit: (exit: SandboxExit) => void = () => {}
  #endReason: EndReason | undefined
  #hasEnded = false
  #inputCredit = INPUT_CREDIT
  #resumeInput: (() => void) | undefined
  #waitQueries: ((printed: number | null) => void)[] = []
  #frames: CommandOutput | undefined

  constructor(sandbox: CommandSandbox, streams: { hasInput: boolean; hasChannel?: boolean }) {
    this.#sandbox = sandbox
    this.isolation = sandbox.isolation
    this.exited = new Promise((resolve) => (this.#resolveExit = resolve))
    this.stdout = this.#createOutput(REPORT.stdout)
    this.stderr = this.#createOutput(REPORT.stderr)
    this.stdin = streams.hasInput ? this.#createInput() : undefined
    if (streams.hasChannel === true) this.#frames = this.#createOutput(REPORT.channel)
    this.channel = this.#frames ?? Readable.from([])
    this.answers = this.#frames ? this.#createInput() : new PassThrough()
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Receives a frame of the guest; false if it is not a valid one. */
  receive(opcode: number, payload: Buffer): boolean {
    if (opcode === REPORT.stdout) this.stdout.receive(payload)
    else if (opcode === REPORT.stderr) this.stderr.receive(payload)
    else if (opcode === REPORT.channel && this.#frames) this.#frames.receive(payload)
    else if (opcode === REPORT.inputCredit) this.#addInputCredit(payload.readUInt32BE(0))
    else if (opcode === REPORT.waits)
      this.#waitQueries.shift()?.(parseReport(payload) as number | null)
    else if (opcode === REPORT.ended) this.#end(parseReport(payload) as CommandEnd)
    else return false
    return true
  }

  resize(columns: number, rows: number): void {
    const payload = Buffer.alloc(4)
    payload.writeUInt16BE(columns, 0)
    payload.writeUInt16BE(rows, 2)
    this.#send(REQUEST.resize, payload)
  }

  waitsAfter(): Promise<number | null> {
    if (this.#hasEnded) return Promise.resolve(null)
    return new Promise((resolve) => {
      this.#waitQueries.push(resolve)
      this.#send(REQUEST.waiting)
    })
  }

  signal(name: NodeJS.Signals): void {
    this.#send(REQUEST.signal, Buffer.of(constants.signals[name]))
  }

  /** Ends the processes of this command only. */
  kill(why: EndReason): void {
    if (!this.beginEnd(why)) return
    this.#send(REQUEST.kill)
    const timer = setTimeout(() => this.#sandbox.giveUp(), KILL_MS)
    void this.exited.then(() => clearTimeout(timer))
  }

  /** Keeps the first reason for the end; false if there is one already. */
  protected beginEnd(why: EndReason): boolean {
    if (this.#hasEnded || this.#endReason !== undefined) return false
    this.#endReason = why
    return true
  }

  /** Ends with the sandbox. */
  endWithSandbox(exit: SandboxExit): void {
    const { endedBecause = this.#endReason } = exit
    const failure =
      exit.failure ?? (endedBecause === undefined ? 'The sandbox of the session ended' : undefined)
    this.#finish({
      ...exit,
      exitCode: null,
      signal: null,
      endedBecause: this.#endReason ?? endedBecause,
      failure,
      cpuMs: undefined,
      use: undefined,
    })
  }

  #end({ exit, signal, cpu_ms: ownCpuMs = 0, not_started: notStarted }: CommandEnd): void {
    this.#finish({
      exitCode: exit ?? null,
      signal: signal ?? null,
      endedBecause: this.#endReason,
      memoryHit: false,
      totalHit: false,
      processesHit: notStarted?.step === 'fork',
      processesHitLast: false,
      cpuMs: this.#sandbox.takeCpuMs() ?? ownCpuMs,
      failure: undefined,
      ...(notStarted && { notStarted }),
    })
  }

  #finish(exit: SandboxExit): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const answer of this.#waitQueries.splice(0)) answer(null)
    this.stdout.push(null)
    this.stderr.push(null)
    this.#frames?.push(null)
    this.#resumeInput?.()
    this.stdin?.destroy()
    this.answers.destroy()
    this.#resolveExit(exit)
  }

  #send(opcode: number, payload?: Uint8Array): void {
    if (!this.#hasEnded) this.#sandbox.send(opcode, payload)
  }

  #createOutput(opcode: number): CommandOutput {
    return new CommandOutput((bytes) => {
      const payload = Buffer.alloc(5, opcode)
      payload.writeUInt32BE(bytes, 1)
      this.#send(REQUEST.credit, payload)
    })
  }

  #createInput(): Writable {
    const input = new Writable({
      write: (chunk: Buffer, _encoding, done) => this.#writeInput(chunk, done),
      final: (done) => {
        this.#send(REQUEST.endInput)
        done()
      },
    })
    input.on('error', () => {})
    return input
  }

  #writeInput(chunk: Buffer, done: () => void): void {
    if (chunk.length === 0 || this.#hasEnded) return done()
    if (this.#inputCredit === 0) {
      this.#resumeInput = () => this.#writeInput(chunk, done)
      return
    }
    const piece = chunk.subarray(0, this.#inputCredit)
    this.#inputCredit -= piece.length
    this.#send(REQUEST.input, piece)
    this.#writeInput(chunk.subarray(piece.length), done)
  }

  #addInputCredit(bytes: number): void {
    this.#inputCredit += bytes
    const resume = this.#resumeInput
    this.#resumeInput = undefined
    resume?.()
  }
}

/** Reports come from the first process, which runs no code of a skill. */
function parseReport(payload: Buffer): unknown {
  return JSON.parse(payload.toString('utf8'))
}
