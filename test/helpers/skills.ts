import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { runCommandLine } from '../../src/cli/program.ts'
import { INHERITED_ENV } from './inherited-env.ts'
import { keepSandboxes } from './kept-sandboxes.ts'
import { trustProject } from './trust-project.ts'

/** Files of a test folder: contents by path. */
export type Tree = Readonly<Record<string, string | Uint8Array>>

/** Registers a cleanup; by default, for the end of the test. */
export type OnEnd = (cleanUp: () => Promise<void> | void) => void

/** Creates a temporary folder for this test, removed afterwards. */
export function createFolder(tree: Tree = {}, onEnd: OnEnd = onTestFinished): string {
  const dir = mkdtempSync(join(tmpdir(), 'skills-test-'))
  onEnd(() => rmSync(dir, { recursive: true, force: true }))
  writeTree(dir, tree)
  return dir
}

/** Writes files below a folder. */
export function writeTree(dir: string, tree: Tree): void {
  for (const [path, content] of Object.entries(tree)) {
    const file = join(dir, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
}

export interface CliResult {
  code: number
  stdout: string
  stderr: string
  /** Parses standard output as the single JSON document. */
  json: () => Record<string, unknown>
}

export interface CliInvocation {
  cwd?: string
  env?: Record<string, string>
  stdin?: string | Uint8Array
  columns?: number
  /** Simulates a terminal. */
  tty?: boolean
  signal?: AbortSignal
  /** Receives what is written to standard error, at once. */
  onStderr?: (text: string) => void
  /** Starts each run in a new sandbox, as a process of its own would. */
  isCold?: boolean
  /** Trusts the project's configuration file as it is now. */
  trusts?: boolean
}

/** Runs a command line in this process, with a separate environment. */
export async function runSkills(
  argv: readonly string[],
  at: CliInvocation = {},
): Promise<CliResult> {
  const cwd = at.cwd ?? createFolder()
  const home = at.env?.['HOME'] ?? createFolder()
  const stdout = capture(at)
  const stderr = capture(at)
  stderr.stream.on('data', (chunk) => at.onStderr?.(String(chunk)))
  const env = { ...INHERITED_ENV, HOME: home, ...at.env }
  if (at.trusts) await trustProject(cwd, env)
  const code = await runCommandLine(argv, {
    cwd,
    env,
    stdin: Object.assign(Readable.from(at.stdin === undefined ? [] : [at.stdin]), {
      isTTY: at.tty ?? false,
    }),
    stdout: stdout.stream,
    stderr: stderr.stream,
    signal: at.signal ?? new AbortController().signal,
    ...(at.isCold ? {} : { sandboxes: await keepSandboxes() }),
  })
  return {
    code,
    stdout: stdout.text(),
    stderr: stderr.text(),
    json: () => {
      if (stdout.text() === '') throw new Error(`The command printed no JSON: ${stderr.text()}`)
      return JSON.parse(stdout.text()) as Record<string, unknown>
    },
  }
}

function capture(at: CliInvocation) {
  const chunks: Buffer[] = []
  const stream = new PassThrough()
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return {
    stream: Object.assign(stream, { isTTY: at.tty ?? false, columns: at.columns ?? 80 }),
    text: () => Buffer.concat(chunks).toString('utf8'),
  }
}
