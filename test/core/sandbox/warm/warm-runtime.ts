import { readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { loadConfig } from '../../../../src/core/config/load-config.ts'
import { createRuntime, type Runtime } from '../../../../src/core/runtime.ts'
import type { PlainObject } from '../../../../src/core/skills/manifest/manifest.ts'
import type { RunResult } from '../../../../src/core/runs/result.ts'
import type { WarmPool } from '../../../../src/core/sandbox/backend.ts'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import { createFolder } from '../../../helpers/skills.ts'

/** A runtime with a zygote of its own. */
export interface WarmRuntime {
  runtime: Runtime
  sandboxes: Sandboxes
  warm: WarmPool
  /** Runs the body of a function `main(args)` and returns its result. */
  run(body: string, args?: PlainObject): Promise<RunResult>
}

const env = { PATH: process.env['PATH'] }

/** Opens a runtime whose zygote is ready. */
export async function warmRuntime(
  options: { maxForks?: number; settings?: Record<string, unknown> } = {},
): Promise<WarmRuntime> {
  const cwd = createFolder()
  const sandboxes = new Sandboxes({ maxForks: options.maxForks })
  const warm = await sandboxes.keepWarm({ cwd, env })
  onTestFinished(async () => await sandboxes.stop())
  await warm.waitUntilSettled()
  if (warm.problem !== undefined) throw new Error(`there is no zygote: ${warm.problem}`)
  const flags = { 'directories.data': cwd, ...options.settings }
  const { config } = await loadConfig({ cwd, env, file: undefined, noFiles: true, flags })
  const runtime = createRuntime({ config, cacheDir: null, sandboxes })
  const run: WarmRuntime['run'] = async (body, args = {}) =>
    await runtime.runCode({ language: 'python', code: wrapMain(body), args }, { cwd, env })
  return { runtime, sandboxes, warm, run }
}

function wrapMain(body: string): string {
  const lines = body.split('\n').map((line) => `    ${line}`)
  return `import os, socket, sys, time\n\ndef main(args):\n${lines.join('\n')}\n`
}

/** Reads a file of a process in /proc; empty if the process is gone. */
export function procFile(pid: number | undefined, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}
