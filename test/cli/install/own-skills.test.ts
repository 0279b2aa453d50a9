import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createInstallProject } from '../../helpers/install-project.ts'

it("a project's own skills are listed, and refused by neither verify nor --frozen", async () => {
  const { run, cwd, source } = createInstallProject()
  await run('install', source, '--yes')
  const own = join(cwd, '.agents/skills/mine')
  mkdirSync(own)
  writeFileSync(join(own, 'SKILL.md'), '---\nname: mine\ndescription: Mine\n---\n')
  const { code, stdout } = await run('verify')
  expect([code, stdout]).toEqual([0, expect.stringContaining('own .agents/skills/mine')])
  expect(await run('install', '--frozen')).toMatchObject({ code: 0 })
  // The control: under the name of the installed skill, agents could load it instead.
  writeFileSync(join(own, 'SKILL.md'), '---\nname: greet\ndescription: Mine\n---\n')
  const shadowed = await run('verify', '--json')
  expect([shadowed.code, shadowed.json()]).toMatchObject([1, { shadowing: ['mine'], own: [] }])
  expect(await run('install', '--frozen')).toMatchObject({ code: 3 })
})
