import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { PythonFacts } from './facts.ts'

/** Python, asked to parse files: one process for a whole lint run. */
export interface Python {
  /** What it sees in each file; a file that it cannot cope with is missing from the answer. */
  facts(files: readonly { path: string; text: string }[]): Promise<Map<string, PythonFacts>>
  /** Starts the interpreter ahead of the first question, while others read files. */
  warm(): void
  /** Why it cannot be asked at all; known after the first question. */
  readonly unavailable: string | undefined
  close(): Promise<void>
}

export interface PythonOptions {
  /** The interpreter; `python3` on PATH when absent. */
  python?: string | undefined
  env: Readonly<Record<string, string | undefined>>
  /** How long one file may take. */
  stallMs?: number
}

const SCRIPT = fileURLToPath(new URL('./facts.py', import.meta.url))

/** Opens the conversation. Nothing is started before the first file. */
export function openPython(options: PythonOptions): Python {
  return new PythonProcess(options)
}

class PythonProcess implements Python {
  readonly #options: PythonOptions
  #talk: Talk | undefined
  unavailable: string | undefined

  constructor(options: PythonOptions) {
    this.#options = options
  }

  warm(): void {
    this.#talk ??= startTalk(this.#options)
  }

  async facts(files: readonly { path: string; text: string }[]): Promise<Map<string, PythonFacts>> {
    const answers = new Map<string, PythonFacts>()
    let rest = files
    while (rest.length > 0 && this.unavailable === undefined) {
      this.#talk ??= startTalk(this.#options)
      const answered = await this.#talk.ask(rest, answers)
      if (this.#talk.failure !== undefined) this.unavailable = this.#talk.failure
      if (answered === rest.length) break
      // The first file without an answer is the one that Python stumbled over.
      this.#talk.kill()
      this.#talk = undefined
      rest = rest.slice(answered + 1)
    }
    return answers
  }

  async close(): Promise<void> {
    this.#talk?.kill()
    this.#talk = undefined
  }
}

interface Talk {
  /** Resolves with the number of files that were answered, in order, before the end or a stall. */
  ask(
    files: readonly { path: string; text: string }[],
    answers: Map<string, PythonFacts>,
  ): Promise<number>
  /** Why the process could not be used at all. */
  failure: string | undefined
  /** True once it said that it is Python. */
  greeted: boolean
  kill(): void
}

function startTalk({ python = 'python3', env, stallMs = 10_000 }: PythonOptions): Talk {
  const child = spawn(python, ['-I', '-S', SCRIPT], {
    // A version manager's shim needs HOME and PATH to find the interpreter behind it.
    env: { PATH: env['PATH'], HOME: env['HOME'] },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const lines = createInterface({ input: child.stdout })
  const talk: Talk = {
    failure: undefined,
    greeted: false,
    kill: () => {
      lines.close()
      child.kill('SIGKILL')
    },
    ask: (files, answers) => converse({ child, lines, talk, stallMs, python }, files, answers),
  }
  child.stdin.on('error', () => {})
  child.stderr.resume()
  child.once('error', (error: NodeJS.ErrnoException) => {
    talk.failure =
      error.code === 'ENOENT'
        ? `"${python}" was not found`
        : `"${python}" cannot be started (${error.code})`
  })
  child.once('exit', (code) => {
    if (!talk.greeted) talk.failure ??= `"${python}" ended at once with exit code ${code}`
  })
  return talk
}

interface Conversation {
  child: ChildProcessWithoutNullStreams
  lines: Interface
  talk: Talk
  stallMs: number
  python: string
}

function converse(
  { child, lines, talk, stallMs, python }: Conversation,
  files: readonly { path: string; text: string }[],
  answers: Map<string, PythonFacts>,
): Promise<number> {
  return new Promise((resolve) => {
    let answered = 0
    let timer = setTimeout(finish, stallMs)
    const onLine = (line: string): void => {
      const message = parse(line)
      if (!message) return finish()
      talk.greeted ||= message.version !== undefined
      if (message.path === undefined || message.facts === undefined) return
      answers.set(message.path, revive(message.facts))
      answered += 1
      clearTimeout(timer)
      if (answered === files.length) finish()
      else timer = setTimeout(finish, stallMs)
    }
    function finish(): void {
      clearTimeout(timer)
      lines.off('line', onLine)
      lines.off('close', onClose)
      child.off('error', finish)
      if (!talk.greeted) talk.failure ??= `"${python}" did not answer as Python does`
      resolve(answered)
    }
    // Its exit code says more than the end of its output; the timer still counts.
    function onClose(): void {
      const running = child.exitCode === null && child.signalCode === null
      if (!talk.greeted && running && child.pid !== undefined) child.once('exit', finish)
      else finish()
    }
    lines.on('line', onLine)
    lines.once('close', onClose)
    child.once('error', finish)
    for (const { path, text } of files) child.stdin.write(`${JSON.stringify({ path, text })}\n`)
  })
}

interface Message {
  version?: unknown
  path?: string
  facts?: PythonFacts
}

/** A line of the conversation; undefined for what is none. */
function parse(line: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(line)
    return typeof message === 'object' && message !== null ? message : undefined
  } catch {
    return undefined
  }
}

/** JSON has no undefined and no infinity. */
function revive(facts: PythonFacts): PythonFacts {
  return {
    ...facts,
    problem: facts.problem ?? undefined,
    functions: facts.functions.map((each) => ({
      ...each,
      maximum: each.maximum < 0 ? Number.POSITIVE_INFINITY : each.maximum,
    })),
  }
}
