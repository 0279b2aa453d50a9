import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

async function createKey() {
  const cwd = createFolder({})
  const run = async (...argv: string[]) => await runSkills(argv, { cwd, env: { HOME: cwd } })
  await run('keys', 'new', 'release')
  const { stdout } = await run('keys', 'export', 'release', '--json')
  const { key } = JSON.parse(stdout) as { key: { id: string; public_key: string } }
  writeFileSync(join(cwd, 'key.pub'), key.public_key)
  const add = async (name: string, ...options: string[]) =>
    await run('keys', 'trust', 'key.pub', '--name', name, '--source', '*', ...options)
  return { add, id: key.id }
}

it('the beginning of an id is refused as such, and not as the key of someone else', async () => {
  const { add, id } = await createKey()
  const short = await add('alice', '--key-id', id.slice(0, 15))
  expect([short.code, short.stderr]).toEqual([2, expect.stringContaining('not the whole id')])
  const other = await add('alice', '--key-id', `sha256:${'0'.repeat(64)}`)
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('Do not use this file')])
  expect(await add('alice', '--key-id', id)).toMatchObject({ code: 0 })
})

it('a key with another name in the list is refused with its name', async () => {
  const { add, id } = await createKey()
  await add('alice', '--key-id', id)
  const { code, stderr } = await add('bob', '--key-id', id)
  expect(code).toBe(3)
  expect(stderr).toContain('has this key with the name "alice"')
  expect(stderr).toContain('--name alice')
})

it('sign without --key uses the only key, and is refused with two', async () => {
  const cwd = createFolder(prefixPaths('greet', createActionSkill('demo.greet')))
  const run = async (...argv: string[]) => await runSkills(argv, { cwd, env: { HOME: cwd } })
  expect(await run('sign', './greet')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('skills keys new <name>') as string,
  })
  await run('keys', 'new', 'release')
  expect(await run('sign', './greet')).toMatchObject({ code: 0 })
  await run('keys', 'new', 'other')
  expect(await run('sign', './greet')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Missing the key that signs[\s\S]*other, release/) as string,
  })
})
