import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { startTestServer } from '../../helpers/server.ts'

const SKILL = prefixPaths('skills/greet', {
  ...createActionSkill('demo.greet'),
  'docs/USAGE.md': 'Say a word to a penguin.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
  'tests/greet.test.toml':
    'suite = "greet"\n\n[[cases]]\nname = "greets"\nargs = { name = "Ada" }\nexpect = [{ status = "completed" }]\n',
})

it('a skill is inspected with its inputs, rights, files and tests', async () => {
  const server = await startTestServer({ tree: SKILL })
  const found = await server.result('inspect_skill', { name: 'demo.greet' })
  expect(found).toMatchObject({
    name: 'demo.greet',
    inputs: [{ name: 'name' }],
    missing: [],
    tests: [{ file: 'tests/greet.test.toml' }],
  })
  expect(found['rights']).toContainEqual({
    kind: 'code',
    value: 'python',
    sentence: 'runs code of the language python',
  })
  expect(JSON.stringify(found)).not.toContain(server.dir)
})

it('a search finds words in names and documents, and ranks names first', async () => {
  const server = await startTestServer({
    tree: { ...SKILL, ...prefixPaths('skills/penguin', createActionSkill('demo.penguin')) },
  })
  const names = async (query: string) => {
    const { skills } = await server.result('search_skills', { query })
    return (skills as { name: string }[]).map(({ name }) => name)
  }
  expect(await names('penguin')).toEqual(['demo.penguin', 'demo.greet'])
  expect(await names('PENGUIN demo.greet')).toEqual(['demo.greet'])
  expect(await names('walrus')).toEqual([])
  expect(await names('')).toContain('demo.greet')
})

it('a document is read as a tree with tables', async () => {
  const server = await startTestServer({ tree: SKILL })
  const { tree } = await server.result('read_skill_document', {
    name: 'demo.greet',
    path: 'docs/USAGE.md',
  })
  const { children } = tree as { children: { type: string }[] }
  expect(children.map(({ type }) => type)).toEqual(['paragraph', 'table'])
})

it('a path outside of a skill is refused as a document', async () => {
  const server = await startTestServer({ tree: SKILL })
  const { error } = await server.call('read_skill_document', {
    name: 'demo.greet',
    path: '../../skills.config.toml',
  })
  expect(error?.data).toMatchObject({ kind: 'file/outside' })
})

it('lint over the server reports the findings of the command line, without paths of the machine', async () => {
  const server = await startTestServer({
    tree: {
      ...SKILL,
      'skills/greet/SKILL.md': '---\nname: demo.greet\ndescription: x\n---\n[gone](missing.md)\n',
    },
  })
  const found = await server.result('lint_skill', { name: 'demo.greet' })
  const findings = found['findings'] as { file: string; message: string }[]
  expect(findings.some(({ message }) => message.includes('missing.md'))).toBe(true)
  expect(JSON.stringify(found)).not.toContain(server.dir)
})

it('a finding has what its fix changes, and findings are those of the current files', async () => {
  const text = (rest: string) =>
    `---\nname: demo.greet\ndescription: Greets somebody by name.\n---\n# Greet\n\n${rest}\n`
  const server = await startTestServer({
    tree: { ...SKILL, 'skills/greet/SKILL.md': text('Says\u200B hello.') },
  })
  const readFindings = async () => {
    const found = await server.result('lint_skill', { name: 'demo.greet' })
    return found['findings'] as { rule: string; fix: string | null; diff: string | null }[]
  }
  const fixed = (await readFindings()).find(({ rule }) => rule.includes('hidden-character'))
  expect(fixed?.diff).toMatch(/^-Says\u200B hello\.$/m)
  expect(fixed?.diff).toMatch(/^\+Says hello\.$/m)
  // The same answer comes from the cache until a file changes.
  expect(await readFindings()).toContainEqual(fixed)
  writeFileSync(join(server.dir, 'skills/greet/SKILL.md'), text('Says hello.'))
  await expect
    .poll(async () =>
      (await readFindings()).filter(({ rule }) => rule.includes('hidden-character')),
    )
    .toEqual([])
})

it('the tokens of a skill are counted by layer', async () => {
  const server = await startTestServer({ tree: SKILL })
  const found = await server.result('count_skill_tokens', { name: 'demo.greet' })
  const { overview, body, docs, total } = found as Record<string, number>
  expect(total).toBe((overview ?? 0) + (body ?? 0) + (docs ?? 0))
  expect(docs).toBeGreaterThan(0)
})

it('the tools of a skill are shown in the form of each vendor', async () => {
  const server = await startTestServer({ tree: SKILL })
  const read = async (format: string) =>
    await server.result('describe_skill_tools', { name: 'demo.greet', format })
  const openai = await read('openai')
  expect(openai['overview']).toContain('- demo.greet: ')
  expect((openai['tools'] as { type: string }[])[0]).toMatchObject({ type: 'function' })
  const anthropic = await read('anthropic')
  expect((anthropic['tools'] as object[])[0]).toHaveProperty('input_schema')
})
