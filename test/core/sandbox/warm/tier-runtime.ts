import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { RunResult } from '../../../../src/core/runs/result.ts'
import { writeTree } from '../../../helpers/skills.ts'
import { CANARY, isRoot, launch, type Tier } from '../abuse/start-worker.ts'
import type { TierResponse, TierRequest, TierOptions, TierProgramResult } from './tier-protocol.ts'
import { BUILT_MODULES } from '../../../helpers/built.ts'

/** Users that keep a zygote; an ordinary user can always be tested. */
export const TIERS: readonly Tier[] = isRoot ? ['root', 'user'] : ['user']

interface RunOptions extends Pick<TierRequest, 'args' | 'cancelAfterMs' | 'timeoutMs' | 'isCold'> {
  /** Called at its first output. */
  onOutput?: (text: string) => void
}

/** A zygote in a process of its own. */
export class TierRuntime {
  /** Folder for the files of that process. */
  readonly base: string
  readonly #child: ChildProcess
  readonly #asked = new Map<number, (answer: TierResponse) => void>()
  #last = 0

  constructor(tier: Tier, options: Omit<TierOptions, 'base'> = {}) {
    this.base = mkdtempSync('/tmp/skills-tier-')
    writeTree(this.base, { 'host/file.txt': 'of the host' })
    chmodSync(this.base, 0o777)
    const worker = fileURLToPath(new URL('tier-worker.ts', import.meta.url))
    const words = JSON.stringify({ ...options, base: this.base })
    const node = [process.execPath, '--import', BUILT_MODULES, worker, words]
    this.#child = spawn('/usr/bin/python3', launch(tier, this.base, node), {
      env: { PATH: '/usr/bin:/bin', HOME: this.base, TMPDIR: this.base, SKILLS_CANARY: CANARY },
      cwd: this.base,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    void this.#hear()
  }

  /** PID of the process that keeps the zygote. */
  get keeper(): number {
    return this.#child.pid as number
  }

  /** Runs the body of a function `main(args)`. */
  async run(body: string, { onOutput, ...options }: RunOptions = {}): Promise<RunResult> {
    const asked = {
      what: 'run',
      code: wrapMain(body),
      tells: onOutput !== undefined,
      ...options,
    } as const
    const { result, thrown } = await this.#ask(asked, onOutput)
    if (!result) throw Object.assign(new Error(thrown?.message), { code: thrown?.code })
    return result
  }

  /** Runs a shell command as a program. */
  async shell(
    words: string,
    { isCold }: Pick<TierRequest, 'isCold'> = {},
  ): Promise<TierProgramResult> {
    const { program, thrown } = await this.#ask({ what: 'program', code: words, isCold })
    if (!program) throw Object.assign(new Error(thrown?.message), { code: thrown?.code })
    return program
  }

  /** Starts a run and resolves at its first output, with a promise of its result. */
  async begun(body: string, options: RunOptions = {}): Promise<{ done: Promise<RunResult> }> {
    return await new Promise((resolve, reject) => {
      const done = this.run(`print("begun", flush=True)\n${body}`, {
        ...options,
        onOutput: () => resolve({ done }),
      })
      done.then(() => reject(new Error('it ended without a message')), reject)
    })
  }

  /** Waits for the zygote and returns its PID. */
  async zygote(): Promise<number> {
    const { pid, problem } = await this.#ask({ what: 'settle' })
    if (pid === undefined) throw new Error(`there is no zygote: ${problem}`)
    return pid
  }

  async stop(): Promise<void> {
    await this.#ask({ what: 'stop' })
  }

  /** Ends the process with its zygote. */
  async close(): Promise<void> {
    const isOver = this.#child.exitCode !== null || once(this.#child, 'exit')
    this.#child.stdin?.end()
    await isOver
    rmSync(this.base, { recursive: true, force: true })
  }

  async #ask(
    asked: Omit<TierRequest, 'number'>,
    onOutput: (text: string) => void = () => {},
  ): Promise<TierResponse> {
    const number = (this.#last += 1)
    return await new Promise((resolve) => {
      this.#asked.set(number, (answer) => {
        if (answer.printed !== undefined) return onOutput(answer.printed)
        this.#asked.delete(number)
        resolve(answer)
      })
      this.#child.stdin?.write(`${JSON.stringify({ number, ...asked })}\n`)
    })
  }

  async #hear(): Promise<void> {
    const { stdout } = this.#child
    if (!stdout) return
    for await (const line of createInterface(stdout)) {
      const answer = JSON.parse(line) as TierResponse
      this.#asked.get(answer.number)?.(answer)
    }
    const thrown = { code: 'worker', message: 'the process that kept the zygote ended' }
    for (const [number, resolve] of this.#asked) resolve({ number, thrown })
  }
}

function wrapMain(body: string): string {
  const lines = body.split('\n').map((line) => `    ${line}`)
  return `import os, signal, socket, sys, time\n\ndef main(args):\n${lines.join('\n')}\n`
}
