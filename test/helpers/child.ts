import { spawn } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { BIN } from './built.ts'
import { INHERITED_ENV } from './inherited-env.ts'
import { writeTree } from './skills.ts'

const SKILLS_BIN = 'node_modules/.bin/skills'

/** Gives a project the built program of this checkout as its `skills` command. */
export function installProgram(folder: string): void {
  const script = `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`
  writeTree(folder, { [SKILLS_BIN]: script })
  chmodSync(join(folder, SKILLS_BIN), 0o755)
}

export interface ChildResult {
  code: number | null
  stdout: string
  stderr: string
}

export interface ChildOptions {
  cwd: string
  env: Record<string, string>
}

/** A process in a group of its own, which is killed when the test ends. */
export function startChild(
  command: string,
  argv: readonly string[],
  { cwd, env }: ChildOptions,
): { firstLine: Promise<string>; result: Promise<ChildResult>; kill: () => void } {
  const child = spawn(command, [...argv], {
    cwd,
    env: { ...INHERITED_ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let stdout = ''
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  const result = new Promise<ChildResult>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
  const firstLine = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk)
      const end = stdout.indexOf('\n')
      if (end !== -1) resolve(stdout.slice(0, end))
    })
    result.then(({ code }) => reject(new Error(`${command} ended with ${code}: ${stderr}`)), reject)
  })
  firstLine.catch(() => {})
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The group ended on its own.
    }
  }
  onTestFinished(async () => {
    kill()
    await result
  })
  return { firstLine, result, kill }
}

/** Runs a command to its end. */
export async function runChild(
  command: string,
  argv: readonly string[],
  options: ChildOptions,
): Promise<ChildResult> {
  return await startChild(command, argv, options).result
}
