import { execFile, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { RunReport, RunSpec } from './worker-protocol.ts'
import { BUILT_MODULES } from '../../../helpers/built.ts'

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))

export const CANARY = 'canary-6c1d2f'
export const isRoot = process.getuid?.() === 0

/** User that starts the runs: root, or an unprivileged user. */
export type Tier = 'root' | 'user'

export interface StartOptions {
  backend: string
  tier: Tier
  dir: string
  path?: 'cold' | 'warm'
  /** Of all runs. */
  settings?: Readonly<Record<string, string>>
  /** Runs at once. */
  width?: number
  /** Multiplies the time limit of each run, for backends that start slowly. */
  timeFactor?: number
}

/** Starts runs in a process of their own, optionally as another user. */
export async function startRuns(
  runs: readonly RunSpec[],
  { backend, tier, dir, path = 'cold', settings = {}, width = 4, timeFactor = 1 }: StartOptions,
): Promise<Map<string, RunReport>> {
  const base = mkdtempSync(join(dir, `${tier}-`))
  chmodSync(base, 0o777)
  const node = [process.execPath, '--import', BUILT_MODULES, here('worker.ts')]
  const child = spawn('/usr/bin/python3', launch(tier, dir, node), {
    env: { PATH: '/usr/bin:/bin', HOME: base, TMPDIR: base, SKILLS_CANARY: CANARY },
    cwd: base,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const errors = text(child.stderr)
  child.stdin.end(
    JSON.stringify({
      backend,
      path,
      base,
      width,
      timeFactor,
      runs: runs.map((each) => ({ ...each, settings: { ...settings, ...each.settings } })),
    }),
  )
  const reports = new Map<string, RunReport>()
  for await (const line of createInterface(child.stdout)) {
    const report = JSON.parse(line) as RunReport
    reports.set(report.id, report)
  }
  if (reports.size < runs.length) throw new Error(`the worker ended early: ${await errors}`)
  return reports
}

/** Builds the arguments that make Python start a program with inherited leaks. */
export function launch(tier: Tier, dir: string, words: readonly string[]): string[] {
  const user = tier === 'user' && isRoot ? '65534' : '-'
  return ['-I', here('launch.py'), user, join(dir, 'host/file.txt'), ...words]
}

/** Runs a Python program with JSON as input and output. */
export async function askPython<T>(words: readonly string[], input: unknown): Promise<T> {
  const env = { PATH: '/usr/bin:/bin', HOME: '/root', SKILLS_CANARY: CANARY }
  const [program = '', ...args] = words
  return await new Promise((resolve, reject) => {
    const child = execFile(program, args, { env, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stderr}`))
      else resolve(JSON.parse(stdout) as T)
    })
    child.stdin?.end(typeof input === 'string' ? input : JSON.stringify(input))
  })
}
