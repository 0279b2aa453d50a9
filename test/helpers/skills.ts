import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { run } from '../../src/cli/program.ts'
import { INHERITED } from './inherited.ts'

/** Contents by path: what a test's folder looks like. */
export type Tree = Readonly<Record<string, string | Uint8Array>>

/** A folder of its own for this test, removed afterwards. */
export function folder(tree: Tree = {}): string {
  const dir = mkdtempSync(join(tmpdir(), 'skills-test-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  plant(dir, tree)
  return dir
}

/** Writes files below a folder. */
export function plant(dir: string, tree: Tree): void {
  for (const [path, content] of Object.entries(tree)) {
    const file = join(dir, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
}

export interface Finished {
  code: number
  stdout: string
  stderr: string
  /** Standard output as the one JSON document that it must be. */
  json: () => Record<string, unknown>
}

export interface Invocation {
  cwd?: string
  env?: Record<string, string>
  stdin?: string | Uint8Array
  columns?: number
  /** Behave as on a terminal. */
  tty?: boolean
  signal?: AbortSignal
}

/** Runs a command line in this process, with surroundings of its own. */
export async function skills(argv: readonly string[], at: Invocation = {}): Promise<Finished> {
  const cwd = at.cwd ?? folder()
  const home = at.env?.['HOME'] ?? folder()
  const stdout = capture(at)
  const stderr = capture(at)
  const code = await run(argv, {
    cwd,
    env: { ...INHERITED, HOME: home, ...at.env },
    stdin: Object.assign(Readable.from(at.stdin === undefined ? [] : [at.stdin]), {
      isTTY: at.tty ?? false,
    }),
    stdout: stdout.stream,
    stderr: stderr.stream,
    signal: at.signal ?? new AbortController().signal,
  })
  return {
    code,
    stdout: stdout.text(),
    stderr: stderr.text(),
    json: () => JSON.parse(stdout.text()) as Record<string, unknown>,
  }
}

function capture(at: Invocation) {
  const chunks: Buffer[] = []
  const stream = new PassThrough()
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return {
    stream: Object.assign(stream, { isTTY: at.tty ?? false, columns: at.columns ?? 80 }),
    text: () => Buffer.concat(chunks).toString('utf8'),
  }
}
