import { createInterface, type Interface } from 'node:readline'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { startHostProgram, type HostProgram } from '../../host-programs/run-host-program.ts'
import type { PythonFacts } from './facts.ts'

/** A file to parse. */
export interface PythonFile {
  path: string
  text: string
  /** The function that runs of the skill call; only its body is read in detail. */
  export?: string | undefined
  /** A file of Python whose function `read_interface` reads the text, instead of the facts. */
  reader?: string
}

/** Parses Python files with one interpreter process per lint run. */
export interface PythonParser {
  /** Parses files. A file that makes the interpreter fail is missing from the result. */
  parseFiles(files: readonly PythonFile[]): Promise<Map<string, PythonFacts>>
  /** Reads one text with another reader; undefined if that makes the interpreter fail. */
  readWith<T>(reader: string, text: string): Promise<T | undefined>
  /** Starts the interpreter before the first request, while the caller reads files. */
  start(): Promise<void>
  /** Reason for which the interpreter cannot be used; known after the first request. */
  readonly unavailableReason: string | undefined
  close(): Promise<void>
}

interface PythonParserOptions {
  /** Interpreter; `python3` on PATH if absent. */
  python?: string | undefined
  env: Readonly<Record<string, string | undefined>>
  /** Timeout per file. */
  fileTimeoutMs?: number
}

const SCRIPT = fileURLToPath(new URL('./facts.py', import.meta.url))

/** Creates the parser. The interpreter starts with the first file. */
export function openPythonParser(options: PythonParserOptions): PythonParser {
  return new ProcessPythonParser(options)
}

class ProcessPythonParser implements PythonParser {
  readonly #options: PythonParserOptions
  #connection: Promise<PythonConnection> | undefined
  /**
   * The established connection: requests are sent synchronously, before the caller computes
   * anything else.
   */
  #openConnection: PythonConnection | undefined
  unavailableReason: string | undefined

  constructor(options: PythonParserOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    await (this.#connection ??= this.#connect())
  }

  async parseFiles(files: readonly PythonFile[]): Promise<Map<string, PythonFacts>> {
    const answers = await this.#ask<PythonFacts>(files)
    return new Map([...answers].map(([path, facts]) => [path, reviveFacts(facts)]))
  }

  async readWith<T>(reader: string, text: string): Promise<T | undefined> {
    return (await this.#ask<T>([{ path: '', text, reader }])).get('')
  }

  async #ask<T>(files: readonly PythonFile[]): Promise<Map<string, T>> {
    const answers = new Map<string, T>()
    let rest = files
    while (rest.length > 0 && this.unavailableReason === undefined) {
      const connection = this.#openConnection ?? (await (this.#connection ??= this.#connect()))
      const answered = await connection.requestFacts(rest, answers)
      if (connection.failure !== undefined) this.unavailableReason = connection.failure
      if (answered === rest.length) break
      // The first file without a response is the one that made the interpreter fail.
      connection.kill()
      this.#dropConnection()
      rest = rest.slice(answered + 1)
    }
    return answers
  }

  async close(): Promise<void> {
    const connection = await this.#connection
    connection?.kill()
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
  /**
   * Resolves with the number of files answered, in order, before the process exited or timed out.
   */
  requestFacts(files: readonly PythonFile[], answers: Map<string, unknown>): Promise<number>
  /** Reason for which the process cannot be used. */
  failure: string | undefined
  hasExited: boolean
  /** Called when the process has exited. */
  onExit: (() => void) | undefined
  /** True after the greeting, which identifies the process as Python. */
  hasGreeted: boolean
  kill(): void
}

async function startConnection({
  python = 'python3',
  env,
  fileTimeoutMs = 10_000,
}: PythonParserOptions): Promise<PythonConnection> {
  // The shim of a version manager needs HOME and PATH to find the interpreter.
  const environment = { PATH: env['PATH'], HOME: env['HOME'] }
  const options = { env: environment, ignoresStderr: true }
  const program = await startHostProgram([python, '-I', '-S', SCRIPT], options)
  const lines = createInterface({ input: program.stdout ?? Readable.from([]) })
  const connection: PythonConnection = {
    failure: undefined,
    hasExited: false,
    onExit: undefined,
    hasGreeted: false,
    kill: () => {
      lines.close()
      program.end()
    },
    requestFacts: (files, answers) =>
      exchangeFiles({ program, lines, connection, fileTimeoutMs, python }, files, answers),
  }
  program.stdin?.on('error', () => {})
  // The greeting may arrive before the first request.
  lines.on('line', (line) => {
    connection.hasGreeted ||= parseMessage(line)?.version !== undefined
  })
  void recordExit(connection, program.result, python)
  return connection
}

async function recordExit(
  connection: PythonConnection,
  result: HostProgram['result'],
  python: string,
): Promise<void> {
  const { failedToStart, exitCode } = await result
  if (failedToStart?.code === 'ENOENT') connection.failure = `"${python}" was not found`
  else if (failedToStart) connection.failure = `"${python}" failed to start (${failedToStart.code})`
  else if (!connection.hasGreeted) {
    connection.failure ??= `"${python}" exited at once with exit code ${exitCode ?? null}`
  }
  connection.hasExited = true
  connection.onExit?.()
}

interface ExchangeContext {
  program: HostProgram
  lines: Interface
  connection: PythonConnection
  fileTimeoutMs: number
  python: string
}

function exchangeFiles(
  { program, lines, connection, fileTimeoutMs, python }: ExchangeContext,
  files: readonly PythonFile[],
  answers: Map<string, unknown>,
): Promise<number> {
  return new Promise((resolve) => {
    let answered = 0
    let timer = setTimeout(finish, fileTimeoutMs)
    const onLine = (line: string): void => {
      const message = parseMessage(line)
      if (!message) return finish()
      if (message.path === undefined || message.facts === undefined) return
      answers.set(message.path, message.facts)
      answered += 1
      clearTimeout(timer)
      if (answered === files.length) finish()
      else timer = setTimeout(finish, fileTimeoutMs)
    }
    function finish(): void {
      clearTimeout(timer)
      lines.off('line', onLine)
      lines.off('close', onClose)
      connection.onExit = undefined
      if (!connection.hasGreeted) connection.failure ??= `"${python}" did not respond like Python`
      resolve(answered)
    }
    // Before the greeting, the exit code explains more than the end of the output; the timer is
    // still running.
    function onClose(): void {
      if (connection.hasGreeted) finish()
    }
    lines.on('line', onLine)
    lines.once('close', onClose)
    connection.onExit = finish
    if (connection.hasExited) return finish()
    for (const file of files) program.stdin?.write(`${JSON.stringify(file)}\n`)
  })
}

interface PythonMessage {
  version?: unknown
  path?: string
  facts?: unknown
}

/** Parses a line of the protocol; undefined if it is not a message. */
function parseMessage(line: string): PythonMessage | undefined {
  try {
    const message: unknown = JSON.parse(line)
    return typeof message === 'object' && message !== null ? message : undefined
  } catch {
    return undefined
  }
}

/** Restores undefined and Infinity, which JSON does not have. */
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
