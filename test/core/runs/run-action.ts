import { createRuntime } from '../../../src/core/runtime.ts'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { executeEntry } from '../../../src/core/methods/execute-skill/handler.ts'
import type { RunCall } from '../../../src/core/runs/run-call.ts'
import type { SkillLanguageName } from '../../../src/core/skills/manifest/skill-languages.ts'
import type { Sandboxes } from '../../../src/core/sandbox/sandboxes.ts'
import type { PlainObject } from '../../../src/core/skills/manifest/manifest.ts'
import { readEntryAt } from '../../../src/core/skills/repository/open-repository.ts'
import { createFolder, type Tree } from '../../helpers/skills.ts'

export interface ActionRun {
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
  /** Forks the run if these sandboxes can. */
  sandboxes?: Sandboxes | undefined
}

/** Creates a runtime whose data is in a folder of this test. */
export async function createRuntimeIn(
  data: string,
  settings: Record<string, unknown> = {},
  sandboxes?: Sandboxes,
) {
  const env = { HOME: data, PATH: process.env['PATH'] }
  const flags = { 'directories.data': data, ...settings }
  const { config } = await loadConfig({ cwd: data, env, file: undefined, noFiles: true, flags })
  return createRuntime({ config, cacheDir: null, sandboxes })
}

const FILES = {
  python: 'code/main.py',
  node: 'code/main.js',
  typescript: 'code/main.ts',
  shell: 'code/main.sh',
}

/** Runs a text as the entrypoint of a skill in that language, in a real sandbox. */
export async function runAction(
  language: SkillLanguageName,
  code: string,
  options: ActionRun = {},
) {
  const data = options.data ?? createFolder()
  const runtime = await createRuntimeIn(data, options.settings, options.sandboxes)
  const file = FILES[language]
  const dir = createFolder({
    'skill.toml': `name = "test.run-it"\nversion = "0.1.0"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "${language}"\nentrypoint = "${file}"\nexport = "main"\n${options.toml ?? ''}`,
    [file]: code,
    ...options.files,
  })
  const result = await executeEntry(
    runtime,
    {
      entry: await readEntryAt(dir),
      args: options.args,
      input_blobs: options.blobs,
      timeout_ms: options.timeoutMs ?? 30_000,
    },
    { cwd: data, env: { PATH: process.env['PATH'] }, ...options.call },
  )
  return { ...result, runtime, dir }
}
