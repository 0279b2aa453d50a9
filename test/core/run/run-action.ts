import { executeEntry } from '../../../src/core/methods/execute-skill/run.ts'
import type { SkillLanguageName } from '../../../src/core/manifest/skill-languages.ts'
import { entryAt } from '../../../src/core/repository/open-repository.ts'
import { folder } from '../../helpers/skills.ts'
import { runtimeIn, type PythonRun } from './run-python.ts'

const FILES = {
  python: 'code/main.py',
  node: 'code/main.js',
  typescript: 'code/main.ts',
  shell: 'code/main.sh',
}

/** Runs a text as the entrypoint of a skill in that language, for real. */
export async function runAction(
  language: SkillLanguageName,
  code: string,
  options: PythonRun = {},
) {
  const data = options.data ?? folder()
  const runtime = await runtimeIn(data, options.settings)
  const file = FILES[language]
  const dir = folder({
    'skill.toml': `name = "test.run-it"\nversion = "0.1.0"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "${language}"\nentrypoint = "${file}"\nexport = "main"\n${options.toml ?? ''}`,
    [file]: code,
    ...options.files,
  })
  const result = await executeEntry(
    runtime,
    {
      entry: await entryAt(dir),
      args: options.args,
      input_blobs: options.blobs,
      timeout_ms: options.timeoutMs ?? 30_000,
    },
    { cwd: data, env: { PATH: process.env['PATH'] }, ...options.call },
  )
  return { ...result, runtime, dir }
}
