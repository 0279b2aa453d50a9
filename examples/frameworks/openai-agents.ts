// A sandbox client of the OpenAI Agents SDK (`@openai/agents/sandbox`). Theirs for Linux isolates nothing.
import { applyDiff, type Editor, type ToolOutputImage } from '@openai/agents'
import type * as Sdk from '@openai/agents/sandbox'
import { normalizeSandboxClientCreateArgs } from '@openai/agents/sandbox'
import { quote, ROOT, type CommandProgress, type Workspace } from './workspace.ts'

type CreateArgs = Parameters<typeof normalizeSandboxClientCreateArgs>[0]

export class SkillsSandboxClient implements Sdk.SandboxClient {
  readonly backendId = 'skills'
  #open: () => Promise<Workspace>

  /** `open` returns the workspace of a new session. */
  constructor(open: () => Promise<Workspace>) {
    this.#open = open
  }

  async create(args?: CreateArgs): Promise<SkillsSandboxSession> {
    const { manifest } = normalizeSandboxClientCreateArgs(args)
    if (manifest.root !== ROOT) throw new Error(`The root of a manifest must be ${ROOT}`)
    const environment = await manifest.resolveEnvironment()
    const session = new SkillsSandboxSession({ manifest, environment }, await this.#open())
    await session.applyManifest(manifest)
    return session
  }
}

export class SkillsSandboxSession implements Sdk.SandboxSession {
  readonly state: Sdk.SandboxSessionState
  #workspace: Workspace
  /** Ids of running commands by the numbers that the SDK uses. */
  #running = new Map<number, string>()
  #nextNumber = 1

  constructor(state: Sdk.SandboxSessionState, workspace: Workspace) {
    this.state = state
    this.#workspace = workspace
  }

  async exec(args: Sdk.ExecCommandArgs): Promise<Sdk.SandboxExecResult> {
    if (args.runAs) throw new Error(`Commands run as one user, not as ${args.runAs}`)
    const started = Date.now()
    const { cmd, workdir: cwd, tty, yieldTimeMs: yieldMs = 10_000 } = args
    const options = { cwd, env: this.state.environment, yieldMs, tty: tty === true }
    return this.#report(await this.#workspace.start(cmd, options), started)
  }

  async execCommand(args: Sdk.ExecCommandArgs): Promise<string> {
    return describe(await this.exec(args), args.maxOutputTokens)
  }

  async writeStdin({ sessionId, chars, ...args }: Sdk.WriteStdinArgs): Promise<string> {
    const id = this.#running.get(sessionId)
    if (id === undefined) return `write_stdin failed: no command has the session id ${sessionId}`
    const started = Date.now()
    const progress = await this.#workspace.poll(id, chars, args.yieldTimeMs)
    return describe(this.#report(progress, started, sessionId), args.maxOutputTokens)
  }

  supportsPty(): boolean {
    return true
  }

  async readFile({ path, maxBytes }: Sdk.ReadFileArgs): Promise<Uint8Array> {
    return (await this.#workspace.readFile(path)).subarray(0, maxBytes)
  }

  async pathExists(path: string): Promise<boolean> {
    return (await this.#workspace.exec(`test -e ${quote(path)}`)).exitCode === 0
  }

  async listDir({ path }: { path: string }): Promise<Sdk.SandboxDirectoryEntry[]> {
    const entries = await this.#workspace.list(path)
    return entries.map(({ name, type }) => ({
      name,
      path: `${path}/${name}`,
      type: type === 'directory' ? 'dir' : type === 'file' ? type : 'other',
    }))
  }

  async viewImage({ path }: { path: string }): Promise<ToolOutputImage> {
    const type = /\.(png|jpe?g|gif|webp)$/.exec(path)?.[1]?.replace('jpg', 'jpeg')
    if (!type) throw new Error('unsupported image format: use a png, jpeg, gif or webp file')
    const data = Uint8Array.from(await this.#workspace.readFile(path))
    return { type: 'image', image: { data, mediaType: `image/${type}` } }
  }

  async materializeEntry({ path, entry }: { path: string; entry: Sdk.Entry }): Promise<void> {
    if (entry.type === 'file') {
      await this.#workspace.writeFile(path, entry.content as string | Uint8Array)
    } else if (entry.type === 'dir') {
      await this.#workspace.exec(`mkdir -p ${quote(path)}`)
      for (const [name, child] of Object.entries(entry.children ?? {}))
        await this.materializeEntry({ path: `${path}/${name}`, entry: child as Sdk.Entry })
    } else {
      throw new Error(`An entry of the type ${entry.type} is not copied: use file or dir`)
    }
  }

  async applyManifest({ entries: children }: Sdk.Manifest): Promise<void> {
    await this.materializeEntry({ path: '.', entry: { type: 'dir', children } })
  }

  createEditor(): Editor {
    const workspace = this.#workspace
    return {
      async createFile({ path, diff }) {
        await workspace.writeFile(path, applyDiff('', diff, 'create'))
      },
      async updateFile({ path, diff, moveTo = path }) {
        const before = (await workspace.readFile(path)).toString()
        await workspace.writeFile(moveTo, applyDiff(before, diff))
        if (moveTo !== path) await workspace.remove(path)
      },
      async deleteFile({ path }) {
        await workspace.remove(path)
      },
    }
  }

  async close(): Promise<void> {
    await this.#workspace.end()
  }

  #report(progress: CommandProgress, started: number, known?: number): Sdk.SandboxExecResult {
    const { output, exitCode = null, sessionId: id } = progress
    const number = known ?? this.#nextNumber++
    const wallTimeSeconds = (Date.now() - started) / 1000
    const result = { output, stdout: output, stderr: '', wallTimeSeconds }
    this.#running.delete(number)
    if (exitCode !== null || id === undefined) return { ...result, exitCode }
    this.#running.set(number, id)
    return { ...result, sessionId: number }
  }
}

/** The text for the model, in the form of the SDK's own sandboxes. */
function describe({ output, ...result }: Sdk.SandboxExecResult, maxTokens = 10_000): string {
  const state = result.sessionId
    ? `Process running with session ID ${result.sessionId}`
    : `Process exited with code ${result.exitCode}`
  const half = maxTokens * 2
  const isCut = output.length > 2 * half
  const shown = isCut ? `${output.slice(0, half)}\n…\n${output.slice(-half)}` : output
  return `Wall time: ${result.wallTimeSeconds.toFixed(1)} seconds\n${state}\nOutput:\n${shown}`
}
