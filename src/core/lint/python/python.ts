import { createInterface, type Interface } from 'node:readline'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { startHostProgram, type HostProgram } from '../../host-programs/run-host-program.ts'
import type { PythonFacts } from './facts.ts'

/** Python, asked to parse files: one process for a whole lint run. */
export interface Python {
  /** What it sees in each file; a file that it cannot cope with is missing from the answer. */
  facts(files: readonly { path: string; text: string }[]): Promise<Map<string, PythonFacts>>
  /** Starts the interpreter ahead of the first question, while others read files. */
  warm(): Promise<void>
  /** Why it cannot be asked at all; known after the first question. */
  readonly unavailable: string | undefined
  close(): Promise<void>
}

interface PythonOptions {
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
  #talk: Promise<Talk> | undefined
  /** The talk once it goes on: it is asked at once, before its caller computes anything else. */
  #open: Talk | undefined
  unavailable: string | undefined

  constructor(options: PythonOptions) {
    this.#options = options
  }

  async warm(): Promise<void> {
    await (this.#talk ??= this.#start())
  }

  async facts(files: readonly { path: string; text: string }[]): Promise<Map<string, PythonFacts>> {
    const answers = new Map<string, PythonFacts>()
    let rest = files
    while (rest.length > 0 && this.unavailable === undefined) {
      const talk = this.#open ?? (await (this.#talk ??= this.#start()))
      const answered = await talk.ask(rest, answers)
      if (talk.failure !== undefined) this.unavailable = talk.failure
      if (answered === rest.length) break
      // The first file without an answer is the one that Python stumbled over.
      talk.kill()
      this.#forget()
      rest = rest.slice(answered + 1)
    }
    return answers
  }

  async close(): Promise<void> {
    const talk = await this.#talk
    talk?.kill()
    this.#forget()
  }

  async #start(): Promise<Talk> {
    return (this.#open = await startTalk(this.#options))
  }

  #forget(): void {
    this.#talk = undefined
    this.#open = undefined
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
  hasEnded: boolean
  /** Called once the process has ended. */
  onEnd: (() => void) | undefined
  /** True once it said that it is Python. */
  greeted: boolean
  kill(): void
}

async function startTalk({
  python = 'python3',
  env,
  stallMs = 10_000,
}: PythonOptions): Promise<Talk> {
  // A version manager's shim needs HOME and PATH to find the interpreter behind it.
  const own = { PATH: env['PATH'], HOME: env['HOME'] }
  const options = { env: own, ignoresStderr: true }
  const program = await startHostProgram([python, '-I', '-S', SCRIPT], options)
  const lines = createInterface({ input: program.stdout ?? Readable.from([]) })
  const talk: Talk = {
    failure: undefined,
    hasEnded: false,
    onEnd: undefined,
    greeted: false,
    kill: () => {
      lines.close()
      program.end()
    },
    ask: (files, answers) => converse({ program, lines, talk, stallMs, python }, files, answers),
  }
  program.stdin?.on('error', () => {})
  void noteEnd(talk, program.result, python)
  return talk
}

async function noteEnd(talk: Talk, result: HostProgram['result'], python: string): Promise<void> {
  const { failedToStart, exitCode } = await result
  if (failedToStart?.code === 'ENOENT') talk.failure = `"${python}" was not found`
  else if (failedToStart) talk.failure = `"${python}" cannot be started (${failedToStart.code})`
  else if (!talk.greeted) {
    talk.failure ??= `"${python}" ended at once with exit code ${exitCode ?? null}`
  }
  talk.hasEnded = true
  talk.onEnd?.()
}

interface Conversation {
  program: HostProgram
  lines: Interface
  talk: Talk
  stallMs: number
  python: string
}

function converse(
  { program, lines, talk, stallMs, python }: Conversation,
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
      talk.onEnd = undefined
      if (!talk.greeted) talk.failure ??= `"${python}" did not answer as Python does`
      resolve(answered)
    }
    // Its exit code says more than the end of its output; the timer still counts.
    function onClose(): void {
      if (talk.greeted) finish()
    }
    lines.on('line', onLine)
    lines.once('close', onClose)
    talk.onEnd = finish
    if (talk.hasEnded) return finish()
    for (const { path, text } of files) program.stdin?.write(`${JSON.stringify({ path, text })}\n`)
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
