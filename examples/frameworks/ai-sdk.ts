// A sandbox session of version 7 of the AI SDK: generateText({ experimental_sandbox: aiSdkSandbox(workspace), … }).
import type { Experimental_SandboxSession as SandboxSession } from 'ai'
import { quote, ROOT, type CommandProgress, type Workspace } from './workspace.ts'

export function aiSdkSandbox(workspace: Workspace): SandboxSession {
  const readBinaryFile: SandboxSession['readBinaryFile'] = async ({ path }) => {
    try {
      return await workspace.readFile(path)
    } catch (error) {
      if (getCode(error) === 'file/not-found') return null
      throw error
    }
  }
  const writeBinaryFile: SandboxSession['writeBinaryFile'] = async ({ path, content }) =>
    await workspace.writeFile(path, content)
  const inspect = async (path: string, command: string) =>
    await inspectPath(workspace, path, command)
  return {
    description: `Commands run in a sandbox without network. Relative paths begin at ${ROOT}.`,
    readBinaryFile,
    writeBinaryFile,
    async readFile(options) {
      const content = await readBinaryFile(options)
      return content && new Blob([Uint8Array.from(content)]).stream()
    },
    async readTextFile({ encoding = 'utf-8', startLine = 1, endLine, ...options }) {
      const content = await readBinaryFile(options)
      if (!content) return null
      const lines = new TextDecoder(encoding).decode(content).split(/(?<=\n)/)
      return lines.slice(startLine - 1, endLine).join('')
    },
    async writeFile({ content, ...options }) {
      const bytes = new Uint8Array(await new Response(content).arrayBuffer())
      await writeBinaryFile({ ...options, content: bytes })
    },
    async writeTextFile({ content, encoding = 'utf-8', ...options }) {
      await writeBinaryFile({ ...options, content: Buffer.from(content, encoding as 'utf-8') })
    },
    async stat({ path }) {
      const printed = await inspect(path, 'stat -L -c "%s %F" -- "$1"')
      if (printed === null) return null
      const [size, kind = ''] = printed.trim().split(/ (.*)/)
      const type = kind.endsWith('file') ? 'file' : kind === 'directory' ? kind : 'other'
      return { type, size: Number(size) }
    },
    async listDirectory({ path }) {
      return (await inspect(path, 'true')) === null ? null : await workspace.list(path)
    },
    async deleteFile({ path }) {
      return (await inspect(path, 'rm -- "$1"')) !== null
    },
    async run({ command, workingDirectory: cwd, env, abortSignal: signal }) {
      const { exitCode, stdout, stderr } = await workspace.exec(command, { cwd, env, signal })
      return { exitCode, stdout, stderr }
    },
    spawn: (async (options: Parameters<SandboxSession['spawn']>[0]) => {
      const { command, workingDirectory: cwd, env, stdin, abortSignal } = options
      if (stdin) throw new Error('A spawned command has no writable stdin here: use run')
      const first = await workspace.start(command, { cwd, env })
      return follow(workspace, first, abortSignal)
    }) as unknown as SandboxSession['spawn'],
  }
}

/** Runs a command for the path "$1"; null if the path does not exist. */
async function inspectPath(workspace: Workspace, path: string, command: string) {
  const { stdout, stderr, exitCode } = await workspace.exec(
    `set -- ${quote(path)}; test -e "$1" -o -L "$1" || exit 44; ${command}`,
  )
  if (exitCode !== 0 && exitCode !== 44) throw new Error(stderr.trim())
  return exitCode === 44 ? null : stdout
}

function getCode(error: unknown): string | undefined {
  return (error as { code?: string }).code
}

/** The process of a command. Both streams are in one: the workspace returns them so for a command that goes on. */
function follow(workspace: Workspace, first: CommandProgress, signal?: AbortSignal) {
  const { sessionId } = first
  const end = Promise.withResolvers<{ exitCode: number }>()
  end.promise.catch(() => {})
  const kill = async () => {
    if (sessionId) await workspace.kill(sessionId).catch(() => {})
  }
  signal?.addEventListener('abort', () => void kill())
  async function* print() {
    let progress = first
    try {
      for (;;) {
        if (progress.output) yield new TextEncoder().encode(progress.output)
        if (progress.exitCode !== undefined || !sessionId) break
        progress = await workspace.poll(sessionId, '', 500)
      }
      signal?.throwIfAborted()
      end.resolve({ exitCode: progress.exitCode ?? -1 })
    } catch (error) {
      // A killed command is forgotten.
      if (signal?.aborted) end.reject(signal.reason)
      else if (getCode(error)) end.resolve({ exitCode: -1 })
      else end.reject(error)
    }
  }
  return { stdout: drain(print()), stderr: drain(), wait: () => end.promise, kill }
}

/** A stream that reads on although nothing takes its parts, so that the end of a command is seen. */
function drain(parts?: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      if (parts) for await (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}
