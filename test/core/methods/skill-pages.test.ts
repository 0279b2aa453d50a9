// @module-tag slow
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProblemFilter } from '../../../src/core/methods/search-skills/hide-problem-paths.ts'
import { parseTokens } from '../../../src/server/auth/tokens.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { startTestServer } from '../../helpers/server.ts'

const SEARCH_TOKENS = () =>
  parseTokens('ada-token-0123456789 ada read\nops-token-0123456789 ops read,operate\n', 'tokens')

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

describe('problems of a search', () => {
  const TREE = {
    ...SKILL,
    ...prefixPaths('skills/copy', createActionSkill('demo.greet')),
    'skills/broken/skill.toml': 'name = ',
    'skills/no-name/SKILL.md': '---\nname: [\n---\n',
  }

  it('name the folders of broken and duplicate skills, and show callers no path', async () => {
    const server = await startTestServer({ tree: TREE, tokens: SEARCH_TOKENS() })
    const search = async (token: string) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'search_skills', params: { query: '' } }
      const response = await server.post(body, { authorization: `Bearer ${token}` })
      const { result } = (await response.json()) as {
        result: { problems: { skill: string; message: string }[] }
      }
      return result.problems
    }
    const problems = await search('ada-token-0123456789')
    const listNames = (found: typeof problems) =>
      [...new Set(found.map(({ skill }) => skill))].sort()
    const names = listNames(problems)
    expect(names).toEqual(['broken', 'greet', 'no-name'])
    expect(problems).toContainEqual({
      skill: 'greet',
      message: 'demo.greet@0.1.0 also exists in "copy", which takes precedence',
    })
    expect(JSON.stringify(problems)).not.toContain(server.dir)
    expect(JSON.stringify(problems)).not.toMatch(/"[^"]*\/tmp\//)
    expect(listNames(await search('ops-token-0123456789'))).toEqual(names)
  })

  it('show callers no path of this machine that a message has for another reason', () => {
    const problem = {
      kind: 'unreadable',
      path: '/srv/skills/x',
      message: 'Cannot follow "/srv/skills/x" to "/home/ada/private/x"',
    } as const
    const config = { roots: ['/srv/skills'], directories: { data: '/srv/data' } } as never
    const call = { cwd: '/srv', env: {}, caller: { name: 'ada' } }
    expect(createProblemFilter({ config }, call)(problem)).toEqual({
      skill: 'x',
      message: 'Cannot follow "x" to "…"',
    })
    const operator = createProblemFilter(
      { config },
      {
        ...call,
        caller: { name: 'ada', isOperator: true },
      },
    )
    expect(operator(problem).message).toContain('/home/ada/private/x')
  })
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

it(
  'lint over the server reports the findings of the command line, without paths of the machine',
  { tags: ['slow'] },
  async () => {
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
  },
)

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

it('the tokens of a skill are counted by layer', { tags: ['slow'] }, async () => {
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
