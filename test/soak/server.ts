import { spawn, type ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** How `skills` is started: arguments of Node. */
export type Command = readonly string[]

/** A real server that is killed and started again; the port changes each time. */
export class SoakServer {
  port = 0
  /** Every process that it was. */
  readonly pids: number[] = []
  /** From the start of the process to its first word, in milliseconds. */
  readonly starts: number[] = []
  stderr = ''
  #child: ChildProcess | undefined
  #ended: Promise<unknown> = Promise.resolve()
  readonly #command: Command
  readonly #cwd: string
  readonly #env: NodeJS.ProcessEnv

  constructor(command: Command, cwd: string, env: NodeJS.ProcessEnv) {
    this.#command = command
    this.#cwd = cwd
    this.#env = env
  }

  async start(): Promise<void> {
    const startedAt = performance.now()
    const argv = [...this.#command, 'serve', '--port', '0', '--json', '--watch']
    const child = spawn(process.execPath, argv, {
      cwd: this.#cwd,
      env: this.#env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    this.pids.push(child.pid ?? 0)
    child.stderr.on('data', (chunk) => (this.stderr = `${this.stderr}${chunk}`.slice(-20_000)))
    this.#ended = new Promise((resolve) => child.once('exit', resolve))
    const said = new Promise<string>((resolve) =>
      child.stdout.once('data', (c) => resolve(String(c))),
    )
    const line = await Promise.race([said, this.#ended.then(() => '')])
    if (line === '') throw new Error(`The server did not start: ${this.stderr.slice(-1000)}`)
    this.starts.push(Math.round(performance.now() - startedAt))
    this.port = (JSON.parse(line) as { port: number }).port
  }

  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<unknown> {
    this.#child?.kill(signal)
    return await this.#ended
  }

  get pid(): number {
    return this.pids.at(-1) ?? 0
  }

  /** Descriptors that it has open, and its memory in MiB. */
  usage(): { files: number; mib: number } {
    const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1]
    const files = readdirSync(`/proc/${this.pid}/fd`).length
    return { files, mib: Math.round(Number(kib) / 1024) }
  }
}
