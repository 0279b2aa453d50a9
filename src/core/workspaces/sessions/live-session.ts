import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { refusedParam, type SkillsError } from '../../../errors.ts'
import type { ProgramControls, ProgramOutcome, ProgramJob } from '../../runs/job.ts'
import type { RunCall } from '../../runs/run-call.ts'
import { shellExitCode } from '../commands/exit-code.ts'
import { detectInteraction, type Interaction } from './interaction.ts'
import { LineBuffer } from './line-buffer.ts'

const TICK_MS = 50
/** Who has been silent for so long has said what it wanted to say. */
const SETTLE_MS = 75
/** Who was typed to and says nothing for so long had nothing to say to it. */
const ANSWER_MS = 300
const GRACE_MS = 2000
/** What a program has not read yet. */
const MAX_UNREAD = 1024 ** 2

/** A running command as its reader sees it. */
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
  /** Whose it is, and of which tools. */
  key: string
  tools: 'skill' | 'workspace'
  plan: Omit<ProgramJob, 'sinks'>
  call: RunCall
  /** Gets all that it prints as well. */
  sinks: ProgramJob['sinks']
  /** Called once, when all of its processes are dead. */
  finish(outcome: ProgramOutcome): Promise<Result>
}

/** A command that goes on between calls. */
export class LiveSession<Result> {
  readonly id: string = randomBytes(12).toString('hex')
  readonly key: string
  readonly tools: 'skill' | 'workspace'
  /** A person sits at it: it is not forgotten. */
  readonly isAttended: boolean
  /** When somebody last asked about it, by a clock that only goes forward. */
  touchedMs: number = performance.now()
  endedMs: number | undefined
  /** Resolves when it has ended, however that went. */
  readonly ended: Promise<void>
  readonly #lines = new LineBuffer()
  readonly #abort = new AbortController()
  readonly #hasTerminal: boolean
  /** Resolves when it runs. */
  readonly started: Promise<void>
  #resolveStarted: () => void = () => {}
  #isForgotten = false
  #controls: ProgramControls | undefined
  #outputMs = performance.now()
  #inputMs = -Infinity
  #end: { exitCode: number; result: Result } | { error: unknown } | undefined

  constructor(start: LiveSessionOptions<Result>) {
    this.key = start.key
    this.tools = start.tools
    this.isAttended = start.plan.isAttended === true
    this.#hasTerminal = start.plan.program.terminal !== undefined
    this.started = new Promise((resolve) => (this.#resolveStarted = resolve))
    this.ended = this.#run(start, async (outcome) => await start.finish(outcome))
  }

  get isRunning(): boolean {
    return this.#end === undefined
  }

  /** Waits until there is something to be told, at most so long, and tells it. */
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

  /** Waits for the end, and reports it. */
  async result(): Promise<LiveSessionView<Result>> {
    await this.ended
    return await this.poll(0, 1)
  }

  /** Types something, as soon as it runs; with `submit` and the key that ends a line. */
  async write(characters: string, submit: boolean): Promise<void> {
    await Promise.race([this.started, this.ended])
    this.touchedMs = performance.now()
    const text = submit ? `${characters}${this.#hasTerminal ? '\r' : '\n'}` : characters
    if (text === '') return
    const stdin = this.#controls?.stdin
    if (!this.isRunning) throw invalidSessionError('session is not running')
    if (!stdin?.writable) throw invalidSessionError('stdin is not available')
    if (stdin.writableLength + text.length > MAX_UNREAD) {
      throw invalidSessionError(
        'stdin is not available: the program does not read what it was sent',
      )
    }
    stdin.write(text)
    this.#inputMs = performance.now()
  }

  /** What it is to read first, unless it ended without reading. */
  async writeFirst(text: string | undefined): Promise<void> {
    await Promise.race([this.started, this.ended])
    if (this.isRunning && text !== undefined) await this.write(text, false)
  }

  /** As it was typed; false where it should wait until what was sent before is read. */
  writeBytes(bytes: Buffer): boolean {
    this.touchedMs = performance.now()
    return this.#controls?.stdin?.writable === true ? this.#controls.stdin.write(bytes) : true
  }

  /** Resolves when what was sent is read, or nobody will read it. */
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

  /** Asks it to end, then ends all of its processes; false where it had ended by itself. */
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

  /** Ends it for good: nobody asks any more what it left. */
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
    const receive = async (stream: 'stdout' | 'stderr', chunk: Buffer) => {
      this.#outputMs = performance.now()
      this.#lines.add(decoders[stream].decode(chunk, { stream: true }))
      await sinks[stream](chunk)
    }
    try {
      const job: ProgramJob = {
        ...plan,
        sinks: {
          stdout: async (chunk) => await receive('stdout', chunk),
          stderr: async (chunk) => await receive('stderr', chunk),
        },
        onStarted: (controls) => {
          this.#controls = controls
          this.#resolveStarted()
        },
      }
      // It outlives the call that started it.
      const { onEvent: _, runId: _id, ...rest } = call
      const outcome = await perform(job, { ...rest, signal: this.#abort.signal })
      // A character that never got its end.
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
