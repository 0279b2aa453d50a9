import { spawnSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createFolder, runSkills } from '../helpers/skills.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Runs a copy of bin/skills.js without the rest of the program: only the fast path can respond. */
function startAlone(argv: readonly string[], env: Record<string, string> = {}) {
  const dir = createFolder()
  for (const file of ['bin/skills.js', 'package.json']) cpSync(join(ROOT, file), join(dir, file))
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(dir, 'bin/skills.js'), ...argv],
    { encoding: 'utf8', env: { HOME: dir, ...env } },
  )
  return { code: status, stdout, stderr }
}

it.each(['--version', '-V'])('%s gives the same output on the fast path', async (word) => {
  const { code, stdout, stderr } = await runSkills([word])
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(startAlone([word])).toEqual({ code, stdout, stderr })
})

it.each([
  [['--version'], { SKILLS_FAST_PATHS: 'false' }],
  [['-V'], { SKILLS_FAST_PATHS: '0' }],
  [['--version', 'list'], {}],
  [['--json', '--version'], {}],
  [['list'], {}],
])('%j with %j takes the general path', (argv, env) => {
  const { code, stderr } = startAlone(argv, env)
  expect(code).not.toBe(0)
  expect(stderr).toContain('ERR_MODULE_NOT_FOUND')
})
