import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createInstructionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

function createProject() {
  const cwd = createFolder({
    ...prefixPaths('skills/errors', createInstructionSkill('acme.logs.errors')),
    ...prefixPaths('skills/style', createInstructionSkill('acme.notes.style')),
    ...prefixPaths('skills/other', createInstructionSkill('other.style')),
    'project/skills.config.toml': '',
  })
  const run = async (line: string, folder = '.') =>
    await runSkills(line.split(' '), { cwd: join(cwd, folder), env: { HOME: cwd } })
  return { cwd, run }
}

it.each(['describe errors', 'tokens errors', 'pack errors --out out', 'info --digest errors'])(
  'a short name that one skill has stands for it: %s',
  async (line) => {
    expect(await createProject().run(line)).toMatchObject({ code: 0 })
  },
)

it('a short name of several skills is refused, with their full names', async () => {
  const { code, stderr } = await createProject().run('describe style')
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('Type one of acme.notes.style, other.style'),
  ])
})

it('a part of a name is no short name', async () => {
  const { code, stderr } = await createProject().run('describe tyle')
  expect([code, stderr]).toEqual([3, expect.stringContaining('Unknown skill "tyle"')])
})

it('installed skills are updated and removed by their short name', async () => {
  const { run } = createProject()
  expect(await run('install ../skills/errors --yes', 'project')).toMatchObject({ code: 0 })
  expect(await run('update errors', 'project')).toMatchObject({ code: 0 })
  expect(await run('remove errors', 'project')).toMatchObject({
    code: 0,
    stdout: 'removed acme.logs.errors\n',
  })
})

it('a published site has the full name beside its own', async () => {
  const { run, cwd } = createProject()
  expect(await run('publish errors --to site:site')).toMatchObject({ code: 0 })
  const index = readFileSync(join(cwd, 'site/.well-known/agent-skills/index.json'), 'utf8')
  expect(JSON.parse(index)).toMatchObject({
    skills: [{ name: 'errors', skill: 'acme.logs.errors' }],
  })
})
