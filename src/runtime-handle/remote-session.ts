import type { SkillCommandParams } from '../core/methods/skill-run/definition.ts'
import type { SkillExecParams } from '../core/methods/skill-exec/definition.ts'
import type { WriteParams } from '../core/methods/skill-write-stdin/definition.ts'
import { SkillsError } from '../errors.ts'
import type { SkillSessionView } from '../core/workspaces/sessions/skill-exec.ts'
import type { InteractiveSession, SessionIo } from './handle.ts'
import type { RemoteContext } from './remote-context.ts'

/**
 * Milliseconds that the runtime waits for new output. Shorter after input, so that typing remains
 * responsive.
 */
const YIELD_MS = { writing: 60, polling: 250 }
const POLL_LINES = 20_000
/** Maximum input that is not yet sent. */
const MAX_UNSENT_BYTES = 256 * 1024
/** Timeout for ending a command. */
const KILL_TIMEOUT_MS = 5000

/** User input for a remote command. */
type SessionInput = Pick<WriteParams, 'chars' | 'end_input' | 'columns' | 'rows'>

interface RemoteStart {
  remote: RemoteContext
  params: SkillExecParams
  print: (text: string) => Promise<void> | undefined
}

/** Starts a command of a skill in a remote runtime. */
export function openRemoteSession(
  remote: RemoteContext,
  params: SkillCommandParams,
  { terminal, onOutput, isAttended }: SessionIo,
): InteractiveSession {
  const size = terminal && { tty: true, ...terminal }
  return new RemoteSession({
    remote,
    params: { ...params, ...size, ...(isAttended && { longest: true }) },
    print: (text) => (text === '' ? undefined : onOutput?.('stdout', Buffer.from(text))),
  })
}

/**
 * A command in a remote runtime. Calls are sequential: each one sends the input and returns the
 * output since the previous one.
 */
class RemoteSession implements InteractiveSession {
  readonly started: Promise<void>
  readonly ended: Promise<void>
  readonly #start: RemoteStart
  #input: Buffer[] = []
  #size: { columns: number; rows: number } | undefined
  #hasEnded = false
  #isEndSent = false
  #decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  #id: string | undefined
  #resolveStarted: () => void = () => {}
  #waiting: (() => void)[] = []
  #view: SkillSessionView | undefined
  #failure: unknown
  #isKilled = false

  constructor(start: RemoteStart) {
    this.#start = start
    this.started = new Promise((resolve) => (this.#resolveStarted = resolve))
    this.ended = this.#pollUntilExit()
  }

  get isRunning(): boolean {
    return this.#failure === undefined && this.#view?.status !== 'exited'
  }

  /** Returns the final state; throws if it is unknown. */
  async result(): Promise<SkillSessionView> {
    await this.ended
    if (this.#view?.status === 'exited') return this.#view
    throw this.#failure
  }

  writeBytes(bytes: Buffer): boolean {
    this.#input.push(bytes)
    return this.#input.reduce((sum, { length }) => sum + length, 0) < MAX_UNSENT_BYTES
  }

  async drained(): Promise<void> {
    await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  endInput(): void {
    this.#hasEnded = true
  }

  resize(columns: number, rows: number): void {
    this.#size = { columns, rows }
  }

  /** Kills the command with all of its processes. */
  async kill(): Promise<boolean> {
    this.#isKilled = true
    await this.#killRemote()
    return true
  }

  async #pollUntilExit(): Promise<void> {
    const { params, print } = this.#start
    try {
      const first = { ...params, raw: true, yield_ms: YIELD_MS.polling, poll_lines: POLL_LINES }
      this.#view = await this.#call('skill_exec', first)
      this.#id = this.#view.session_id
      this.#resolveStarted()
      await print(this.#view.output ?? '')
      while (this.#view.status === 'running') {
        this.#view = await this.#exchange()
        await print(this.#view.output ?? '')
      }
      for (let last = this.#view; last.output !== undefined;) {
        last = await this.#poll(1)
        await print(last.output ?? '')
      }
    } catch (error) {
      this.#failure = this.#isKilled
        ? new SkillsError('run/cancelled', 'The command was cancelled')
        : error
    } finally {
      for (const each of this.#waiting.splice(0)) each()
      await this.#killRemote()
    }
  }

  /** Ignores a session that no longer exists, and does not wait long for one that does. */
  async #killRemote(): Promise<void> {
    if (this.#id === undefined) return
    const { remote, params } = this.#start
    const killParams = { session: params.session, session_id: this.#id }
    this.#id = undefined
    const killed = remote.client.call('skill_kill_session', killParams, {
      timeoutMs: KILL_TIMEOUT_MS,
    })
    await killed.catch(() => {})
  }

  async #exchange(): Promise<SkillSessionView> {
    const typed = this.#takeInput()
    if (typed === undefined) return await this.#poll(YIELD_MS.polling)
    try {
      const request = { ...typed, yield_ms: YIELD_MS.writing, poll_lines: POLL_LINES, raw: true }
      return await this.#call('skill_write_stdin', { ...this.#sessionParams(), ...request })
    } catch (error) {
      // The command may have exited before the input arrived; polling returns its state.
      const view = await this.#poll(1)
      if (view.status === 'running') throw error
      return view
    }
  }

  async #poll(yieldMs: number): Promise<SkillSessionView> {
    const request = { yield_ms: yieldMs, poll_lines: POLL_LINES, raw: true }
    return await this.#call('skill_poll_session', { ...this.#sessionParams(), ...request })
  }

  #takeInput(): SessionInput | undefined {
    const bytes = Buffer.concat(this.#input.splice(0))
    const isEnd = this.#hasEnded && !this.#isEndSent
    for (const each of this.#waiting.splice(0)) each()
    const chars = this.#decoder.decode(bytes, { stream: !isEnd })
    const size = this.#size
    this.#size = undefined
    if (chars === '' && !isEnd && size === undefined) return undefined
    this.#isEndSent ||= isEnd
    return { ...size, ...(chars !== '' && { chars }), ...(isEnd && { end_input: true }) }
  }

  #sessionParams() {
    return { session: this.#start.params.session, session_id: this.#id }
  }

  async #call(name: string, params: object): Promise<SkillSessionView> {
    const { client, explainErrors, signal } = this.#start.remote
    return (await explainErrors(client.call(name, params, { signal }))) as SkillSessionView
  }
}
