import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createFolder, runSkills } from '../helpers/skills.ts'

const EXAMPLE = fileURLToPath(new URL('../../examples/findings', import.meta.url))

it('the skill with a mistake has one finding, which the line of the README ends', async () => {
  const cwd = createFolder()
  cpSync(EXAMPLE, cwd, { recursive: true })
  const lint = async () => (await runSkills(['lint', 'weather', '--json'], { cwd })).json()
  expect(await lint()).toMatchObject({ findings: [{ rule: 'permissions/undeclared-secret' }] })
  const [, line = ''] =
    /add `(secrets = .*?)`/.exec(readFileSync(join(cwd, 'README.md'), 'utf8')) ?? []
  const toml = join(cwd, 'weather/skill.toml')
  writeFileSync(toml, `${readFileSync(toml, 'utf8')}${line}\n`)
  expect(await lint()).toMatchObject({ findings: [] })
})
