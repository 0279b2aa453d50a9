import { setTimeout as sleep } from 'node:timers/promises'
import { refusedParam, type SkillsError } from '../../../errors.ts'
import type { ProgramControls, ProgramOutcome, ProgramJob } from '../../runs/job.ts'
import { hideFromFollowers, type RunCall } from '../../runs/run-call.ts'
import { shellExitCode } from '../commands/exit-code.ts'
import { detectInteraction, type Interaction } from './interaction.ts'
import { LineBuffer } from './line-buffer.ts'

const TICK_MS = 50
/** Silence after which an output counts as complete. */
const SETTLE_MS = 75
/** Silence after an input from which on no response is expected. */
const ANSWER_MS = 300
const GRACE_MS = 2000
/** Maximum number of input bytes that the program has not read. */
const MAX_UNREAD = 1024 ** 2

/** State of a running command, with its new output. */
export interface LiveSessionView<Result> {
  status: 'running' | 'exited'
  session_id: string
  output?: string
  offset: number
  next_offset: number
  exit_code?: number
  interaction?: Interaction
  result?: Result
}

export interface LiveSessionOptions<Result> {
  /** Runs the command to its end. */
  perform: (plan: ProgramJob, call: RunCall) => Promise<ProgramOutcome>
  /** Key of the workspace to which the session belongs. */
  key: string
  tools: 'skill' | 'workspace'
  plan: Omit<ProgramJob, 'sinks'>
  call: RunCall
  /** Warnings that are not part of the result; may grow until the command is running. */
  warnings?: string[] | undefined
  /** Receive the complete output as well. */
  sinks: ProgramJob['sinks']
  /** Called once, after all of its processes have ended. */
  finish(outcome: ProgramOutcome): Promise<Result>
}

/** A command that continues between calls. */
export class LiveSession<Result> {
  readonly id: string
  readonly key: string
  readonly tools: 'skill' | 'workspace'
  /** True if a person uses the session interactively: it is not ended for being idle. */
  readonly isAttended: boolean
  /** Time of the last call for this session, from a monotonic clock. */
  touchedMs: number = performance.now()
  endedMs: number | undefined
  /** Resolves when the command has ended, also after a failure. */
  readonly ended: Promise<void>
  readonly #lines = new LineBuffer()
  readonly #abort = new AbortController()
  readonly #hasTerminal: boolean
  readonly #warnings: string[]
  /** Resolves when the command is running. */
  readonly started: Promise<void>
  #resolveStarted: () => void = () => {}
  #isForgotten = false
  #controls: ProgramControls | undefined
  #outputMs = performance.now()
  #inputMs = -Infinity
  #end: { exitCode: number; result: Result } | { error: unknown } | undefined

  constructor(id: string, start: LiveSessionOptions<Result>) {
    this.id = id
    this.key = start.key
    this.#warnings = start.warnings ?? []
    this.tools = start.tools
    this.isAttended = start.plan.isAttended === true
    this.#hasTerminal = start.plan.program.terminal !== undefined
    this.started = new Promise((resolve) => (this.#resolveStarted = resolve))
    this.ended = this.#run(start, async (outcome) => await start.finish(outcome))
  }

  get isRunning(): boolean {
    return this.#end === undefined
  }

  /** Waits up to `yieldMs` for output or a prompt, and returns the state. */
  async poll(yieldMs: number, maxLines: number, isRaw = false): Promise<LiveSessionView<Result>> {
    this.touchedMs = performance.now()
    const isWaiting = await this.#wait(this.touchedMs + yieldMs)
    this.touchedMs = performance.now()
    const end = this.#end
    if (end && 'error' in end) throw end.error
    const { output, offset, nextOffset } = this.#lines.read(maxLines, isRaw)
    const hint = end ? undefined : detectInteraction(this.#lines.tail(30), isWaiting)
    return {
      status: end ? 'exited' : 'running',
      session_id: this.id,
      ...(output !== '' && { output }),
      offset,
      next_offset: nextOffset,
      ...(hint && { interaction: hint }),
      ...(end && { exit_code: end.exitCode, result: end.result }),
    }
  }

  /** Returns each warning once. */
  takeWarnings(): string[] {
    return this.#warnings.splice(0)
  }

  /** Waits for the end and returns the final state. */
  async result(): Promise<LiveSessionView<Result>> {
    await this.ended
    return await this.poll(0, 1)
  }

  /** Writes to the input once the command is running; `submit` appends the Enter key. */
  async write(characters: string, submit: boolean): Promise<void> {
    await Promise.race([this.started, this.ended])
    this.touchedMs = performance.now()
    const text = submit ? `${characters}${this.#hasTerminal ? '\r' : '\n'}` : characters
    if (text === '') return
    const stdin = this.#controls?.stdin
    if (!this.isRunning) throw invalidSessionError('session is not running')
    if (!stdin?.writable) throw invalidSessionError('stdin is not available')
    if (stdin.writableLength + text.length > MAX_UNREAD) {
      throw invalidSessionError('stdin is not available: the program does not read its input')
    }
    stdin.write(text)
    this.#inputMs = performance.now()
  }

  /** Writes the initial input, unless the command has ended already. */
  async writeFirst(text: string | undefined): Promise<void> {
    await Promise.race([this.started, this.ended])
    if (this.isRunning && text !== undefined) await this.write(text, false)
  }

  /** Writes raw bytes; false if the caller should wait for `drained`. */
  writeBytes(bytes: Buffer): boolean {
    this.touchedMs = performance.now()
    return this.#controls?.stdin?.writable === true ? this.#controls.stdin.write(bytes) : true
  }

  /** Resolves when the written input was read, or when the command has ended. */
  async drained(): Promise<void> {
    const stdin = this.#controls?.stdin
    const drained = new Promise<void>((resolve) => stdin?.once('drain', resolve))
    await Promise.race([drained, this.ended])
  }

  endInput(): void {
    this.#controls?.stdin?.end()
  }

  resize(columns: number, rows: number): void {
    this.#controls?.resize(columns, rows)
  }

  /** Sends SIGTERM, waits, then kills all processes; false if the command had already ended. */
  async kill(graceMs: number = GRACE_MS): Promise<boolean> {
    if (!this.isRunning) return false
    if (graceMs > 0) this.#controls?.signal('SIGTERM')
    const timer = new AbortController()
    await Promise.race([
      this.ended,
      sleep(graceMs, undefined, { signal: timer.signal }).catch(() => {}),
    ])
    timer.abort()
    this.#abort.abort()
    await this.ended
    return true
  }

  /** Kills the command and discards its result. */
  async dispose(): Promise<void> {
    this.#isForgotten = true
    await this.kill(0)
  }

  async #wait(until: number): Promise<boolean> {
    for (;;) {
      const now = performance.now()
      const hasAnswered = this.#outputMs > this.#inputMs || now - this.#inputMs > ANSWER_MS
      const hasSettled = hasAnswered && now - this.#outputMs >= SETTLE_MS
      if (!this.isRunning) return false
      const isWaiting = hasSettled && (await this.#controls?.isWaiting()) === true
      if (isWaiting && performance.now() - this.#outputMs >= SETTLE_MS) return true
      if (hasSettled && this.#lines.hasUnread) return isWaiting
      if (now >= until) return isWaiting
      const pause = Math.max(1, Math.min(TICK_MS, until - now))
      await Promise.race([this.ended, sleep(pause)])
    }
  }

  async #run(
    { perform, plan, call, sinks }: LiveSessionOptions<Result>,
    finish: LiveSessionOptions<Result>['finish'],
  ): Promise<void> {
    const decoders = { stdout: createDecoder(), stderr: createDecoder() }
    const receiveChunk = async (stream: 'stdout' | 'stderr', chunk: Buffer) => {
      this.#outputMs = performance.now()
      this.#lines.add(decoders[stream].decode(chunk, { stream: true }))
      await sinks[stream](chunk)
    }
    try {
      const job: ProgramJob = {
        ...plan,
        sinks: {
          stdout: async (chunk) => await receiveChunk('stdout', chunk),
          stderr: async (chunk) => await receiveChunk('stderr', chunk),
        },
        onStarted: (controls) => {
          this.#controls = controls
          this.#resolveStarted()
        },
      }
      // The session outlives the call that started it.
      const own = { ...hideFromFollowers(call), runId: undefined, signal: this.#abort.signal }
      const outcome = await perform(job, own)
      // Flushes incomplete characters.
      for (const each of Object.values(decoders)) this.#lines.add(each.decode())
      this.#end = this.#isForgotten
        ? { error: invalidSessionError('session is not running') }
        : { exitCode: shellExitCode(outcome), result: await finish(outcome) }
    } catch (error) {
      this.#end = { error }
    } finally {
      this.endedMs = performance.now()
    }
  }
}

function createDecoder() {
  return new TextDecoder('utf-8', { ignoreBOM: true })
}

function invalidSessionError(reason: string): SkillsError {
  return refusedParam('session_id', reason)
}
