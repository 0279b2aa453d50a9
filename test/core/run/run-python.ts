import { createRuntime } from '../../../src/core/runtime.ts'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { executeEntry } from '../../../src/core/methods/execute-skill/run.ts'
import type { RunCall } from '../../../src/core/run/run-call.ts'
import type { PlainObject } from '../../../src/core/manifest/manifest.ts'
import { entryAt } from '../../../src/core/repository/open-repository.ts'
import { folder, type Tree } from '../../helpers/skills.ts'

export interface PythonRun {
  args?: PlainObject
  blobs?: readonly string[]
  timeoutMs?: number
  /** More lines for skill.toml. */
  toml?: string
  /** More files of the skill. */
  files?: Tree
  settings?: Record<string, unknown>
  call?: Partial<RunCall>
  data?: string
}

/** A runtime whose data lies in a folder of this test. */
export async function runtimeIn(data: string, settings: Record<string, unknown> = {}) {
  const env = { HOME: data, PATH: process.env['PATH'] }
  const flags = { 'directories.data': data, ...settings }
  const { config } = await loadConfig({ cwd: data, env, file: undefined, noFiles: true, flags })
  return createRuntime({ config, cacheDir: null })
}

/** Runs the text of a Python file as a skill, for real. */
export async function runPython(code: string, options: PythonRun = {}) {
  const data = options.data ?? folder()
  const runtime = await runtimeIn(data, options.settings)
  const dir = folder({
    'skill.toml': `name = "test.run-it"\nversion = "0.1.0"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "python"\nentrypoint = "code/main.py"\nexport = "main"\n${options.toml ?? ''}`,
    'code/main.py': code,
    ...options.files,
  })
  const result = await executeEntry(
    runtime,
    {
      entry: await entryAt(dir),
      args: options.args,
      input_blobs: options.blobs,
      timeout_ms: options.timeoutMs ?? 20_000,
    },
    { cwd: data, env: { PATH: process.env['PATH'] }, ...options.call },
  )
  return { ...result, runtime, dir }
}

/** A function `main` with this body. */
export function body(lines: string): string {
  const indented = lines
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
  return `import ctypes, os, signal, sys, time, threading\n\ndef main(args):\n${indented}\n`
}
