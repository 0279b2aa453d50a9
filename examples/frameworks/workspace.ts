import { createRuntime, loadConfig, type Runtime } from 'skills-protocol'

/** The root of a workspace as its commands see it. */
export const ROOT = '/workspace'

export interface CommandOptions {
  /** Folder to start in, absolute or below the root. */
  cwd?: string | undefined
  env?: Record<string, string> | undefined
  stdin?: string | undefined
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
}

export interface CommandEnd {
  stdout: string
  stderr: string
  exitCode: number
  timedOut: boolean
  /** False if the command printed more than `run.limits.output`. */
  isComplete: boolean
}

/** A command that goes on: what it printed since the last call, or its exit code. */
export interface CommandProgress {
  output: string
  exitCode?: number | undefined
  sessionId?: string | undefined
}

export const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`

/** Commands and files of one session, in a sandbox that sees nothing else of this machine. */
export class Workspace {
  readonly id: string
  #runtime: Runtime
  #call = { cwd: process.cwd(), env: process.env }

  constructor(runtime: Runtime, id: string) {
    this.#runtime = runtime
    this.id = id
  }

  /** Opens a workspace with the configuration of the current folder. */
  static async open(id: string): Promise<Workspace> {
    const { config } = await loadConfig({ cwd: process.cwd(), env: process.env })
    return new Workspace(createRuntime({ config }), id)
  }

  async exec(command: string, options: CommandOptions = {}): Promise<CommandEnd> {
    const call = { ...this.#call, ...(options.signal && { signal: options.signal }) }
    const result = await this.#runtime.workspaceExec(this.#describe(command, options), call)
    const { run_id: run = '', exit_code: exitCode = -1, warnings = [] } = result
    return {
      stdout: await this.#readStream(run, 'stdout'),
      stderr: await this.#readStream(run, 'stderr'),
      exitCode,
      timedOut: warnings.some((warning) => warning.startsWith('Timeout')),
      isComplete: !warnings.some((warning) => warning.includes('exceeded the limit')),
    }
  }

  /** Starts a command, and returns after a time; `poll` continues. */
  async start(
    command: string,
    { yieldMs = 1, tty = false, ...options }: CommandOptions & { yieldMs?: number; tty?: boolean },
  ): Promise<CommandProgress> {
    const params = { ...this.#describe(command, options), yield_time_ms: Math.max(1, yieldMs), tty }
    return toProgress(await this.#runtime.workspaceExec(params, this.#call))
  }

  async poll(sessionId: string, chars = '', yieldMs = 200): Promise<CommandProgress> {
    const params = { session: this.id, session_id: sessionId, chars, yield_time_ms: yieldMs }
    return toProgress(await this.#runtime.writeStdin(params, this.#call))
  }

  async kill(sessionId: string): Promise<void> {
    await this.#runtime.kill({ session: this.id, session_id: sessionId }, this.#call)
  }

  /** Ends all commands and the sandbox. Files remain for the next session with the same id. */
  async end(): Promise<void> {
    await this.kill('*')
  }

  /** Throws an error with the code `workspace/…` or `params/…` if there is no such file. */
  async readFile(path: string): Promise<Buffer> {
    const parts: Buffer[] = []
    let offset: number | undefined = 0
    while (offset !== undefined) {
      const params = { session: this.id, ref: relative(path), offset, max_bytes: 4 * 1024 ** 2 }
      const part = await this.#runtime.workspaceRead(params, this.#call)
      parts.push(part.data ? Buffer.from(part.data, 'base64') : Buffer.from(part.content ?? ''))
      offset = part.next_offset
    }
    return Buffer.concat(parts)
  }

  /** Writes a file and its folders. */
  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    const target = quote(`${ROOT}/${relative(path)}`)
    const stdin = Buffer.from(content).toString('base64')
    const command = `mkdir -p "$(dirname ${target})" && base64 -d > ${target}`
    const { exitCode, stderr } = await this.exec(command, { stdin })
    if (exitCode !== 0) throw new Error(`${path} cannot be written: ${stderr.trim()}`)
  }

  async remove(path: string): Promise<void> {
    const { exitCode, stderr } = await this.exec(`rm -- ${quote(path)}`)
    if (exitCode !== 0) throw new Error(`${path} cannot be removed: ${stderr.trim()}`)
  }

  /** Lists a folder, without those below it. */
  async list(path: string): Promise<ListedEntry[]> {
    const folder = quote(path)
    const command = `cd ${folder} && find . -mindepth 1 -maxdepth 1 -printf '%y %f\\0'`
    const { stdout, stderr, exitCode } = await this.exec(command)
    if (exitCode !== 0) throw new Error(`${path} cannot be listed: ${stderr.trim()}`)
    return stdout
      .split('\0')
      .slice(0, -1)
      .map((line) => ({ name: line.slice(2), type: ENTRY_TYPES[line[0] ?? ''] ?? 'other' }))
  }

  #describe(command: string, { cwd = ROOT, env, stdin, timeoutMs }: CommandOptions) {
    return {
      session: this.id,
      command: cwd === ROOT ? command : `cd ${quote(cwd)} || exit\n${command}`,
      ...(env && { env }),
      ...(stdin !== undefined && { stdin }),
      ...(timeoutMs !== undefined && { timeout: timeoutMs / 1000 }),
    }
  }

  async #readStream(artifactHandle: string, stream: 'stdout' | 'stderr'): Promise<string> {
    const parts: Buffer[] = []
    let cursor: Cursor | undefined = { stream, afterLine: 0 }
    while (cursor) {
      const startLine: number = cursor.afterLine + 1
      // The rest of a long line has a cursor, everything else a range.
      const place = cursor.afterByte
        ? { cursor, maxExcerpts: 1 }
        : { lineRange: { stream, startLine, endLine: Number.MAX_SAFE_INTEGER } }
      const query = { artifactHandle, stream, view: 'raw' as const, ...place }
      const page = await this.#runtime.queryOutput(query, {})
      for (const { content, encoding } of page.excerpts)
        parts.push(Buffer.from(content, encoding ?? 'utf8'))
      cursor = page.nextCursor
      if (cursor && !cursor.afterByte) parts.push(Buffer.from('\n'))
    }
    return Buffer.concat(parts).toString()
  }
}

const ENTRY_TYPES: Record<string, ListedEntry['type']> = {
  f: 'file',
  d: 'directory',
  l: 'symlink',
}

export interface ListedEntry {
  name: string
  type: 'file' | 'directory' | 'symlink' | 'other'
}

type Cursor = { stream: 'stdout' | 'stderr'; afterLine: number; afterByte?: number | undefined }

interface View {
  output?: string | undefined
  exit_code?: number | undefined
  session_id?: string | undefined
}

function toProgress({ output = '', exit_code: exitCode, session_id: sessionId }: View) {
  return { output, exitCode, sessionId }
}

/** The path below the root; throws for a path that leads out of the workspace. */
function relative(path: string): string {
  const below = path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : path
  if (below.startsWith('/') || below.split('/').includes('..'))
    throw new Error(`${path} is not in ${ROOT}: write the path of a file below it`)
  return below
}
