import { takeRandomBytes } from '../../../util/random-bytes.ts'
import type { SandboxExit, SandboxProcess } from '../../sandbox/backend.ts'
import type { NetworkDecision } from '../../sandbox/egress/decision.ts'
import { encodeFrame } from '../protocol/frames.ts'
import type { PlainObject } from '../../skills/manifest/manifest.ts'
import type { RunCall, RunEvent } from '../run-call.ts'
import { CommandProcess } from '../shared-sandbox/command-process.ts'
import type { SharedSandbox } from '../shared-sandbox/shared-sandbox.ts'
import type { RunTrace } from '../trace.ts'
import { CellProcess } from './cell-process.ts'

/** Opcode of the request of a cell. */
const EXECUTE = 'X'
const PIPE_NAME_BYTES = 12
/** Network attempts between cells that the next cell records. */
const MAX_EARLY_DECISIONS = 1000

/** Code that a kernel executes. */
export interface CellRequest {
  code: string
  args: PlainObject | null
  /** Key of its frames. */
  key: Buffer
  /** Determines the ids of its blobs. */
  blobSecret: Buffer
  graceMs: number
}

/** Receives what happens in the sandbox while a cell runs. */
export interface CellObserver {
  trace: RunTrace
  note: (text: string) => void
  onEvent: RunCall['onEvent']
}

/** A living interpreter in its sandbox. One cell runs at a time. */
export class Kernel {
  cellCount = 0
  readonly startedAt: Date = new Date()
  readonly exited: Promise<SandboxExit>
  readonly #sandbox: SharedSandbox
  readonly #interpreter: number
  readonly #trace: RunTrace
  #cell: CellProcess | undefined
  #observer: CellObserver | undefined
  #early: NetworkDecision[] = []
  #lastTurn: Promise<void> = Promise.resolve()
  /** True when the interpreter has ended; its sandbox follows. */
  #hasEnded = false

  constructor(sandbox: SharedSandbox, trace: RunTrace) {
    this.#sandbox = sandbox
    this.#trace = trace
    const { command, number } = sandbox.startCommand(
      (own) => new CommandProcess(own, { hasInput: false }),
      () => ({ ...NO_PROGRAM, kernel: true }),
    )
    this.#interpreter = number
    for (const each of [command.stdout, command.stderr]) each.resume()
    void command.exited.then(async () => await this.#endAfterInterpreter())
    this.exited = sandbox.exited
    sandbox.holdHost(false)
  }

  get isOver(): boolean {
    return this.#hasEnded || this.#sandbox.isOver
  }

  get isBusy(): boolean {
    return this.#cell !== undefined
  }

  get idleMs(): number {
    return this.isBusy ? 0 : performance.now() - this.#sandbox.usedMs
  }

  /** Waits until no other cell runs; the returned function ends the turn. */
  async takeTurn(): Promise<() => void> {
    const before = this.#lastTurn
    let end = () => {}
    this.#lastTurn = new Promise((resolve) => (end = resolve))
    await before
    return end
  }

  /** Starts a cell. Its process ends with its result, or with the interpreter. */
  startCell(request: CellRequest, observer: CellObserver): SandboxProcess {
    this.cellCount += 1
    const { key, graceMs, code, args } = request
    const streams = ['out', 'err'].map(
      (name) => `/tmp/.cell-${takeRandomBytes(PIPE_NAME_BYTES).toString('hex')}-${name}`,
    )
    const { command: cell } = this.#sandbox.startCommand(
      (own) => new CellProcess(own, { graceMs, endKernel: () => this.end() }),
      (credit) => ({
        cell: { kernel: this.#interpreter, key: key.toString('hex'), credit, streams },
      }),
    )
    this.#observe(observer)
    this.#cell = cell
    const content = JSON.stringify({
      number: this.cellCount,
      code,
      args,
      streams,
      blob_secret: request.blobSecret.toString('hex'),
    })
    cell.answers.write(encodeFrame(key, EXECUTE, Buffer.from(content)))
    const { isolation, channel, answers, stdout, stderr } = cell
    return {
      isolation,
      channel,
      answers,
      stdout,
      stderr,
      stdin: undefined,
      exited: this.#concludeCell(cell),
      kill: (why) => cell.kill(why),
    }
  }

  /** Sends SIGINT to the running cell; false if none runs. */
  interrupt(): boolean {
    this.#cell?.signal('SIGINT')
    return this.#cell !== undefined
  }

  /** Kills all of its processes. */
  end(): void {
    this.#sandbox.end('session')
  }

  /** Passes a note about the network to the running cell. */
  note(text: string): void {
    this.#observer?.note(text)
  }

  /** Passes a network attempt to the running cell, or to the next one. */
  receiveEvent(event: RunEvent): void {
    if (event.type !== 'network') return
    if (this.#observer) {
      this.#observer.trace.network?.push(event.decision)
      this.#observer.onEvent?.(event)
    } else if (this.#early.length < MAX_EARLY_DECISIONS) this.#early.push(event.decision)
  }

  /** Nothing in the sandbox outlives the interpreter. The end of its cell is reported first. */
  async #endAfterInterpreter(): Promise<void> {
    this.#hasEnded = true
    await this.#cell?.exited
    this.end()
  }

  /** The end of the interpreter is that of the sandbox, which knows the limit that was hit. */
  async #concludeCell(cell: CellProcess): Promise<SandboxExit> {
    const exit = await cell.exited
    this.#cell = undefined
    this.#observer = undefined
    if (!this.isOver) {
      this.#sandbox.holdHost(false)
      return exit
    }
    const { memoryHit, totalHit, processesHit, processesHitLast } = await this.exited
    return { ...exit, memoryHit, totalHit, processesHit, processesHitLast }
  }

  #observe(observer: CellObserver): void {
    this.#observer = observer
    const { countNetworkBytes } = this.#trace
    if (!countNetworkBytes) return
    const before = countNetworkBytes()
    observer.trace.countNetworkBytes = () => countNetworkBytes() - before
    observer.trace.network = this.#early.splice(0)
  }
}

const NO_PROGRAM = {
  argv: [],
  cwd: '/',
  make: [],
  write: [],
  env: {},
  stdin: false,
  terminal: null,
}
