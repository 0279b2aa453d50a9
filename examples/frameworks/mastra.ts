// A sandbox of Mastra: new Workspace({ sandbox: new SkillsSandbox(workspace) }).
import {
  MastraSandbox,
  type CommandResult,
  type ExecuteCommandOptions,
  type ProviderStatus,
  type SandboxFileInput,
  type SandboxInfo,
} from '@mastra/core/workspace'
import { quote, ROOT, type Workspace } from './workspace.ts'

export class SkillsSandbox extends MastraSandbox {
  readonly id: string
  readonly name = 'SkillsSandbox'
  readonly provider = 'skills'
  status: ProviderStatus = 'pending'
  #workspace: Workspace
  #createdAt = new Date()

  constructor(workspace: Workspace) {
    super({ name: 'SkillsSandbox', workingDirectory: ROOT })
    this.#workspace = workspace
    this.id = workspace.id
  }

  override async executeCommand(
    command: string,
    args: string[] = [],
    options: ExecuteCommandOptions = {},
  ): Promise<CommandResult> {
    await this.ensureRunning()
    const started = Date.now()
    const { cwd = ROOT, timeout: timeoutMs, abortSignal: signal } = options
    const set = Object.entries({ ...this.getEnv(), ...options.env })
    const env = Object.fromEntries(set.flatMap(([name, value]) => (value ? [[name, value]] : [])))
    const line = [command, ...args.map(quote)].join(' ')
    const end = await this.#workspace.exec(line, { cwd, env, timeoutMs, signal })
    if (end.stdout) options.onStdout?.(end.stdout)
    if (end.stderr) options.onStderr?.(end.stderr)
    const { stdout, stderr, exitCode, timedOut } = end
    const executionTimeMs = Date.now() - started
    const result = { stdout, stderr, exitCode, timedOut, executionTimeMs }
    return { command, args, success: exitCode === 0, ...result }
  }

  override async writeFiles(files: SandboxFileInput[]): Promise<void> {
    for (const { path, content, mode } of files) {
      await this.#workspace.writeFile(path, content)
      if (mode !== undefined) await this.#workspace.exec(`chmod ${mode.toString(8)} ${quote(path)}`)
    }
  }

  override getInstructions(): string {
    return `Commands run in a sandbox without network. Its files are in ${ROOT}.`
  }

  override getInfo(): SandboxInfo {
    const { id, name, provider, status } = this
    return { id, name, provider, status, createdAt: this.#createdAt }
  }

  override async start(): Promise<void> {
    this.status = 'running'
  }

  override async stop(): Promise<void> {
    await this.#workspace.end()
    this.status = 'stopped'
  }

  override async destroy(): Promise<void> {
    await this.stop()
    this.status = 'destroyed'
  }
}
