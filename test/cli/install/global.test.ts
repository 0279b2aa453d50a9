import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createInstallProject } from '../../helpers/install-project.ts'
import { createFolder } from '../../helpers/skills.ts'

it('--global installs for all projects, and leaves the project as it is', async () => {
  const { run, cwd, home, source } = createInstallProject()
  expect(await run('install', source, '--yes', '--global')).toMatchObject({ code: 0 })
  expect(existsSync(join(home, '.agents/skills/greet/SKILL.md'))).toBe(true)
  expect([existsSync(join(cwd, '.agents')), existsSync(join(cwd, 'skills.lock'))]).toEqual([
    false,
    false,
  ])
  const lock = JSON.parse(readFileSync(join(home, '.agents/skills.lock'), 'utf8')) as object
  // A relative path would depend on the folder in which the command is typed.
  expect(lock).toMatchObject({ skills: [{ source: join(cwd, source) }] })
  expect((await run('list')).stdout).toContain('demo.greet')
  expect(await run('verify', '--global')).toMatchObject({ code: 0 })
  expect((await run('verify')).stdout).toContain('No skill is installed here')
})

it('verify, install and remove with --global report, repair and remove', async () => {
  const { run, home, source } = createInstallProject()
  await run('install', source, '--yes', '--global')
  const file = join(home, '.agents/skills/greet/SKILL.md')
  writeFileSync(file, 'changed')
  expect(await run('verify', '--global')).toMatchObject({ code: 1 })
  expect(await run('install', '--global', '--yes')).toMatchObject({ code: 0 })
  expect(await run('verify', '--global')).toMatchObject({ code: 0 })
  expect(await run('remove', 'demo.greet')).toMatchObject({ code: 3 })
  expect(await run('remove', 'demo.greet', '--global')).toMatchObject({ code: 0 })
  expect(existsSync(file)).toBe(false)
})

it('a project and the user may have the same skill', async () => {
  const { run, source } = createInstallProject()
  expect(await run('install', source, '--yes', '--global')).toMatchObject({ code: 0 })
  expect(await run('install', source, '--yes')).toMatchObject({ code: 0 })
  expect(await run('remove', 'demo.greet')).toMatchObject({ code: 0 })
  expect(await run('verify', '--global')).toMatchObject({ code: 0 })
})

it('in the home folder, the skills of the project are those of the user', async () => {
  const { runIn, home, cwd, source } = createInstallProject()
  expect(await runIn(home, 'install', join(cwd, source), '--yes')).toMatchObject({ code: 0 })
  expect(existsSync(join(home, '.agents/skills.lock'))).toBe(true)
  expect(existsSync(join(home, 'skills.lock'))).toBe(false)
  expect(await runIn(home, 'verify')).toMatchObject({ code: 0 })
})

it("--global writes through no link at the place of the user's .agents", async () => {
  const { run, home, source } = createInstallProject()
  const outside = createFolder()
  mkdirSync(join(outside, 'skills'))
  symlinkSync(outside, join(home, '.agents'))
  const { code, stderr } = await run('install', source, '--yes', '--global')
  expect([code, stderr]).toEqual([3, expect.stringContaining('is a link')])
  expect(existsSync(join(outside, 'skills/greet'))).toBe(false)
})
