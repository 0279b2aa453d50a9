import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { answerPrompts } from '../../helpers/answer-prompts.ts'
import { createInstructionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder, runSkills, type CliInvocation } from '../../helpers/skills.ts'

async function createInstalled() {
  const base = createFolder({
    ...prefixPaths('source/greet', createInstructionSkill('demo.greet')),
    ...prefixPaths('source/bye', createInstructionSkill('demo.bye')),
    'project/skills.config.toml': '',
  })
  const cwd = join(base, 'project')
  const run = async (line: string, at: CliInvocation = {}) =>
    await runSkills(line.split(' '), { cwd, env: { HOME: base }, ...at })
  expect(await run('install ../source --all --yes')).toMatchObject({ code: 0 })
  return { base, cwd, run, list: () => readdirSync(join(cwd, '.agents/skills')).sort() }
}

it('removes several skills, and reports them in one document', async () => {
  const { run, list } = await createInstalled()
  const { code, json } = await run('remove demo.greet bye --json')
  expect([code, json()]).toEqual([
    0,
    expect.objectContaining({
      skills: [
        { name: 'demo.greet', removed: true, kept: [] },
        { name: 'demo.bye', removed: true, kept: [] },
      ],
    }),
  ])
  expect(list()).toEqual([])
})

it('removes nothing if one of the names is unknown', async () => {
  const { run, list } = await createInstalled()
  expect(await run('remove demo.greet absent')).toMatchObject({ code: 3, stdout: '' })
  expect(list()).toEqual(['bye', 'greet'])
})

it('asks on a terminal, and with --yes it does not', async () => {
  const { base, cwd, run, list } = await createInstalled()
  const answer = async (keys: string) =>
    await answerPrompts(['remove', 'greet'], {
      cwd,
      env: { HOME: base },
      answers: [['Remove demo.greet?', keys]],
    })
  expect(await answer('n')).toMatchObject({ code: 130, unasked: [] })
  expect(list()).toEqual(['bye', 'greet'])
  expect(await answer('y')).toMatchObject({ code: 0, unasked: [] })
  expect(await run('remove bye --yes', { tty: true })).toMatchObject({ code: 0 })
  expect(list()).toEqual([])
})

it('list --global shows the skills of the user, also those that the project hides', async () => {
  const { base, run } = await createInstalled()
  expect((await run('list --global')).stdout).toBe('')
  await run('install ../source/greet --global --yes')
  expect(existsSync(join(base, '.agents/skills/greet'))).toBe(true)
  expect((await run('list --global')).stdout).toMatch(/^demo\.greet +0\.1\.0/)
  expect(await run('list --global --url http://127.0.0.1:9')).toMatchObject({ code: 2 })
})
