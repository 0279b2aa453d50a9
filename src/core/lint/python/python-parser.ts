import { createInterface, type Interface } from 'node:readline'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { startHostProgram, type HostProgram } from '../../host-programs/run-host-program.ts'
import type { PythonFacts } from './facts.ts'

/** Python, asked to parse files: one process for a whole lint run. */
export interface PythonParser {
  /** What it sees in each file; a file that it cannot cope with is missing from the answer. */
  parseFiles(files: readonly { path: string; text: string }[]): Promise<Map<string, PythonFacts>>
  /** Starts the interpreter ahead of the first question, while others read files. */
  start(): Promise<void>
  /** Why it cannot be asked at all; known after the first question. */
  readonly unavailableReason: string | undefined
  close(): Promise<void>
}

interface PythonParserOptions {
  /** The interpreter; `python3` on PATH when absent. */
  python?: string | undefined
  env: Readonly<Record<string, string | undefined>>
  /** How long one file may take. */
  fileTimeoutMs?: number
}

const SCRIPT = fileURLToPath(new URL('./facts.py', import.meta.url))

/** Opens the conversation. Nothing is started before the first file. */
export function openPythonParser(options: PythonParserOptions): PythonParser {
  return new ProcessPythonParser(options)
}

class ProcessPythonParser implements PythonParser {
  readonly #options: PythonParserOptions
  #connection: Promise<PythonConnection> | undefined
  /** The talk once it goes on: it is asked at once, before its caller computes anything else. */
  #openConnection: PythonConnection | undefined
  unavailableReason: string | undefined

  constructor(options: PythonParserOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    await (this.#connection ??= this.#connect())
  }

  async parseFiles(
    files: readonly { path: string; text: string }[],
  ): Promise<Map<string, PythonFacts>> {
    const answers = new Map<string, PythonFacts>()
    let rest = files
    while (rest.length > 0 && this.unavailableReason === undefined) {
      const talk = this.#openConnection ?? (await (this.#connection ??= this.#connect()))
      const answered = await talk.requestFacts(rest, answers)
      if (talk.failure !== undefined) this.unavailableReason = talk.failure
      if (answered === rest.length) break
      // The first file without an answer is the one that Python stumbled over.
      talk.kill()
      this.#dropConnection()
      rest = rest.slice(answered + 1)
    }
    return answers
  }

  async close(): Promise<void> {
    const talk = await this.#connection
    talk?.kill()
    this.#dropConnection()
  }

  async #connect(): Promise<PythonConnection> {
    return (this.#openConnection = await startConnection(this.#options))
  }

  #dropConnection(): void {
    this.#connection = undefined
    this.#openConnection = undefined
  }
}

interface PythonConnection {
  /** Resolves with the number of files that were answered, in order, before the end or a stall. */
  requestFacts(
    files: readonly { path: string; text: string }[],
    answers: Map<string, PythonFacts>,
  ): Promise<number>
  /** Why the process could not be used at all. */
  failure: string | undefined
  hasExited: boolean
  /** Called once the process has ended. */
  onExit: (() => void) | undefined
  /** True once it said that it is Python. */
  hasGreeted: boolean
  kill(): void
}

async function startConnection({
  python = 'python3',
  env,
  fileTimeoutMs: stallMs = 10_000,
}: PythonParserOptions): Promise<PythonConnection> {
  // A version manager's shim needs HOME and PATH to find the interpreter behind it.
  const own = { PATH: env['PATH'], HOME: env['HOME'] }
  const options = { env: own, ignoresStderr: true }
  const program = await startHostProgram([python, '-I', '-S', SCRIPT], options)
  const lines = createInterface({ input: program.stdout ?? Readable.from([]) })
  const talk: PythonConnection = {
    failure: undefined,
    hasExited: false,
    onExit: undefined,
    hasGreeted: false,
    kill: () => {
      lines.close()
      program.end()
    },
    requestFacts: (files, answers) =>
      exchangeFiles(
        { program, lines, connection: talk, fileTimeoutMs: stallMs, python },
        files,
        answers,
      ),
  }
  program.stdin?.on('error', () => {})
  void recordExit(talk, program.result, python)
  return talk
}

async function recordExit(
  talk: PythonConnection,
  result: HostProgram['result'],
  python: string,
): Promise<void> {
  const { failedToStart, exitCode } = await result
  if (failedToStart?.code === 'ENOENT') talk.failure = `"${python}" was not found`
  else if (failedToStart) talk.failure = `"${python}" cannot be started (${failedToStart.code})`
  else if (!talk.hasGreeted) {
    talk.failure ??= `"${python}" ended at once with exit code ${exitCode ?? null}`
  }
  talk.hasExited = true
  talk.onExit?.()
}

interface ExchangeContext {
  program: HostProgram
  lines: Interface
  connection: PythonConnection
  fileTimeoutMs: number
  python: string
}

function exchangeFiles(
  { program, lines, connection: talk, fileTimeoutMs: stallMs, python }: ExchangeContext,
  files: readonly { path: string; text: string }[],
  answers: Map<string, PythonFacts>,
): Promise<number> {
  return new Promise((resolve) => {
    let answered = 0
    let timer = setTimeout(finish, stallMs)
    const onLine = (line: string): void => {
      const message = parseMessage(line)
      if (!message) return finish()
      talk.hasGreeted ||= message.version !== undefined
      if (message.path === undefined || message.facts === undefined) return
      answers.set(message.path, reviveFacts(message.facts))
      answered += 1
      clearTimeout(timer)
      if (answered === files.length) finish()
      else timer = setTimeout(finish, stallMs)
    }
    function finish(): void {
      clearTimeout(timer)
      lines.off('line', onLine)
      lines.off('close', onClose)
      talk.onExit = undefined
      if (!talk.hasGreeted) talk.failure ??= `"${python}" did not answer as Python does`
      resolve(answered)
    }
    // Its exit code says more than the end of its output; the timer still counts.
    function onClose(): void {
      if (talk.hasGreeted) finish()
    }
    lines.on('line', onLine)
    lines.once('close', onClose)
    talk.onExit = finish
    if (talk.hasExited) return finish()
    for (const { path, text } of files) program.stdin?.write(`${JSON.stringify({ path, text })}\n`)
  })
}

interface PythonMessage {
  version?: unknown
  path?: string
  facts?: PythonFacts
}

/** A line of the conversation; undefined for what is none. */
function parseMessage(line: string): PythonMessage | undefined {
  try {
    const message: unknown = JSON.parse(line)
    return typeof message === 'object' && message !== null ? message : undefined
  } catch {
    return undefined
  }
}

/** JSON has no undefined and no infinity. */
function reviveFacts(facts: PythonFacts): PythonFacts {
  return {
    ...facts,
    problem: facts.problem ?? undefined,
    functions: facts.functions.map((each) => ({
      ...each,
      maximum: each.maximum < 0 ? Number.POSITIVE_INFINITY : each.maximum,
    })),
  }
}
