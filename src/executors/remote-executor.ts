import { PassThrough, Writable } from 'node:stream'
import type { SkillsClient } from '../client/client.ts'
import type {
  Executor,
  ExecutorCommand,
  ExecutorExit,
  ExecutorGuarantees,
  ExecutorProcess,
} from '../core/sandbox/executor/executor.ts'
import { quoteShellWord } from '../util/shell-word.ts'

/** Guarantees of every sandbox. Limits are those of the remote runtime, not of the command. */
const SANDBOXED: ExecutorGuarantees = {
  isolates: ['files', 'network', 'processes', 'user', 'system calls'],
  limits: [],
}
const NOTHING: ExecutorGuarantees = { isolates: [], limits: [] }
/** Reports the isolation of the remote runtime. */
const TRIAL = { language: 'python', code: 'def main(args):\n    return None\n' } as const
/** How long the remote runtime waits for output in one call. */
const YIELD_MS = { writing: 60, polling: 400 }
/** Characters of input in one call. The remote runtime accepts 1 MiB that its program has not read. */
const MAX_INPUT = 256 * 1024
const KILL_TIMEOUT_MS = 5000

/**
 * Executes runs as commands in workspaces of a remote runtime, within its policy and its limits. Its
 * guarantees are those that a trial run there reports.
 */
export function remoteExecutor(client: SkillsClient): Executor {
  let trial: Promise<ExecutorGuarantees> | undefined
  return {
    name: 'remote',
    guarantees: SANDBOXED,
    streams: 'text',
    folder: '/workspace',
    async probe() {
      try {
        await client.listSkills({ limit: 1 })
        return { ok: true, detail: `${client.url} answers` }
      } catch (error) {
        const fix = 'Start the runtime with "skills serve", and check the address and the token'
        return { ok: false, detail: (error as Error).message, fix }
      }
    },
    async start(command) {
      trial ??= tryRun(client)
      trial.catch(() => (trial = undefined))
      return await RemoteCommand.start(client, command, await trial)
    },
  }
}

async function tryRun(client: SkillsClient): Promise<ExecutorGuarantees> {
  const { isolation } = await client.runCode(TRIAL)
  return isolation && isolation.tier !== 'none' ? SANDBOXED : NOTHING
}

/** A command of `workspace_exec`, as `workspace_exec` and `write_stdin` report it. */
interface CommandView {
  status: 'running' | 'exited'
  output?: string
  exit_code?: number
  session_id?: string
  warnings?: string[]
}

/** One command. Calls are sequential: each sends the input and returns the output since the last one. */
class RemoteCommand implements ExecutorProcess {
  readonly stdin: Writable
  readonly stdout = new PassThrough()
  readonly stderr = new PassThrough()
  readonly exited: Promise<ExecutorExit>
  readonly guarantees: ExecutorGuarantees
  #client: SkillsClient
  #session: string
  #id: string
  #input: { text: string; done: () => void }[] = []
  #isKilled = false

  static async start(
    client: SkillsClient,
    { id, argv, limits, signal }: ExecutorCommand,
    guarantees: ExecutorGuarantees,
  ): Promise<RemoteCommand> {
    const session = `executor-${id}`
    const params = {
      session,
      command: `exec ${argv.map((each) => quoteShellWord(each)).join(' ')}`,
      timeout: Math.ceil(limits.wallMs / 1000) + START_SECONDS,
      yield_time_ms: YIELD_MS.writing,
    }
    const first = await client.call('workspace_exec', params, { signal })
    return new RemoteCommand({ client, session, guarantees }, first as CommandView)
  }

  private constructor({ client, session, guarantees }: RemotePlace, first: CommandView) {
    this.#client = client
    this.#session = session
    this.guarantees = guarantees
    this.#id = first.session_id ?? ''
    this.stdin = new Writable({
      highWaterMark: MAX_INPUT,
      decodeStrings: false,
      write: (text: string | Buffer, _encoding, done) => {
        this.#input.push({ text: text.toString(), done })
      },
      writev: (chunks, done) => {
        this.#input.push({ text: chunks.map(({ chunk }) => String(chunk)).join(''), done })
      },
    })
    this.stderr.end()
    this.exited = this.#follow(first)
  }

  kill(): void {
    if (this.#isKilled) return
    this.#isKilled = true
    void this.#killAll()
  }

  async #follow(first: CommandView): Promise<ExecutorExit> {
    let view = first
    try {
      await this.#pass(view)
      while (view.status === 'running') {
        view = await this.#exchange()
        await this.#pass(view)
      }
      return { exitCode: view.exit_code ?? null, failure: view.warnings?.join('; ') }
    } catch (error) {
      return { exitCode: null, ...(!this.#isKilled && { failure: (error as Error).message }) }
    } finally {
      this.stdout.end()
      this.stdin.destroy()
      for (const { done } of this.#input.splice(0)) done()
      if (!this.#isKilled) await this.#killAll()
    }
  }

  /** Waits while the reader takes nothing. */
  async #pass({ output = '' }: CommandView): Promise<void> {
    if (output === '' || this.stdout.write(output)) return
    await new Promise<void>((resolve) => {
      this.stdout.once('drain', resolve).once('close', resolve)
    })
  }

  async #exchange(): Promise<CommandView> {
    const chars = this.#takeInput()
    const view = await this.#client.call('write_stdin', {
      session: this.#session,
      session_id: this.#id,
      ...(chars !== '' && { chars }),
      yield_time_ms: chars === '' ? YIELD_MS.polling : YIELD_MS.writing,
    })
    while (this.#input[0]?.text === '') this.#input.shift()?.done()
    return view as CommandView
  }

  #takeInput(): string {
    let chars = ''
    for (const each of this.#input) {
      const taken = each.text.slice(0, MAX_INPUT - chars.length)
      chars += taken
      each.text = each.text.slice(taken.length)
    }
    return chars
  }

  /** Ends all processes of the session, and its sandbox. */
  async #killAll(): Promise<void> {
    const params = { session: this.#session, session_id: '*' }
    const options = { timeoutMs: KILL_TIMEOUT_MS }
    await this.#client.call('kill', params, options).catch(() => {})
  }
}

/** For placing files, and for returning them. */
const START_SECONDS = 120

/** Runtime and session of a command. */
interface RemotePlace {
  client: SkillsClient
  session: string
  guarantees: ExecutorGuarantees
}
