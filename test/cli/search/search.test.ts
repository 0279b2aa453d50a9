import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { askIndexes } from '../../../src/core/searching/ask-indexes.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { writeTree } from '../../helpers/skills.ts'
import { createRootProject, startServer, type RootProject } from '../roots/root-project.ts'

interface SearchDocument {
  skills: { name: string; description: string; origin: string; install: string | null }[]
  indexes: { ok: boolean; problem?: string; invalid?: number; repeated?: string[] }[]
}

function configureIndexes({ cwd }: RootProject, ...indexes: readonly string[]): void {
  writeFileSync(join(cwd, 'skills.config.toml'), `indexes = ${JSON.stringify(indexes)}\n`)
}

const formatIndex = (...skills: readonly object[]) => JSON.stringify({ skills })

/** A site with an index, below a path. */
async function startSite(index: string): Promise<string> {
  return await startServer(({ url }, response) => {
    if (url === '/base/.well-known/agent-skills/index.json') response.end(index)
    else response.writeHead(404).end()
  })
}

describe('skills search', () => {
  it('ranks skills of sites, folders and this machine, and prints what installs them', async () => {
    const project = createRootProject()
    const site = await startSite(
      formatIndex(
        { name: 'forms', description: 'Fills a pdf form.' },
        { name: 'pdf', version: '1.2.0', description: 'Reads forms.' },
        { name: 'video', description: 'Cuts videos.' },
      ),
    )
    writeTree(project.cwd, {
      ...prefixPaths('skills/pdf-local', createActionSkill('demo.pdf')),
      'site/.well-known/agent-skills/index.json': formatIndex({
        name: 'pdf-merge',
        description: 'Merges.',
        url: '../../skills/pdf.tar.gz',
      }),
      'site/skills/pdf.tar.gz': '',
    })
    configureIndexes(project, `${site}/base`, './site')
    const { code, json } = await project.run('search', 'PDF', '--json')
    const { skills } = json() as unknown as SearchDocument
    expect(code).toBe(0)
    expect(skills.map(({ name, install }) => [name, install])).toEqual([
      ['demo.pdf', null],
      ['pdf', `${site}/base#pdf`],
      ['pdf-merge', join(project.cwd, 'site/skills/pdf.tar.gz')],
      ['forms', `${site}/base#forms`],
    ])
    const text = await project.run('search', 'pdf', 'form')
    expect(text.stdout).toContain(`${site}/base#forms`)
    expect(text.stdout).not.toContain('video')
    expect(text.stderr).toContain('skills install ')
    expect(await project.run('search', 'nothing-like-it')).toMatchObject({ code: 3 })
  })

  it('an index that fails is named and does not hide the others; if all fail, the search fails', async () => {
    const project = createRootProject()
    const good = await startSite(formatIndex({ name: 'pdf', description: 'Reads.' }))
    const bad = await startSite('[')
    configureIndexes(project, `${bad}/base`, `${good}/base`)
    const partly = await project.run('search', 'pdf', '--json')
    expect(partly.code).toBe(0)
    expect((partly.json() as unknown as SearchDocument).indexes).toMatchObject([
      { ok: false },
      { ok: true },
    ])
    configureIndexes(project, `${bad}/base`, `${bad}/other`)
    const none = await project.run('search', 'pdf')
    expect(none.code).toBe(3)
    expect(none.stderr).toContain('it is not JSON')
  })

  it('names that reorder text are left out, and descriptions cannot control the terminal', async () => {
    const project = createRootProject()
    const site = await startSite(
      formatIndex(
        { name: 'pdf\u202efdp', description: 'Reversed.' },
        { name: 'pdf', description: 'Reads \u001b[2J\u202epdf.' },
        { name: 'pdf', description: 'The second one.' },
      ),
    )
    configureIndexes(project, `${site}/base`)
    const { stdout, stderr } = await project.run('search', 'pdf')
    // The control: the characters are in the answer of the site.
    expect(stdout).toContain('\\u001b[2J\\u202epdf')
    expect(stdout + stderr).not.toMatch(/[\u001b\u202e]/)
    expect(stderr).toContain('entries without a valid name, left out: 1')
    expect(stderr).toContain('names more than once: pdf')
  })

  it('an index with a million entries is refused by its size, before it is parsed', async () => {
    const entry = JSON.stringify({ name: 'pdf', description: 'Reads.' })
    const site = await startSite(`{"skills":[${Array(1_000_000).fill(entry).join(',')}]}`)
    const [answer] = await askIndexes([`${site}/base`], { signal: new AbortController().signal })
    expect(answer).toMatchObject({ problem: { code: 'remote/unexpected' } })
    const small = await startSite(`{"skills":[${Array(20_001).fill('{}').join(',')}]}`)
    const [counted] = await askIndexes([`${small}/base`], { signal: new AbortController().signal })
    expect(counted).toMatchObject({ problem: { message: expect.stringContaining('20001') } })
    // The control: the same index with fewer entries is read.
    const allowed = await startSite(`{"skills":[${Array(20_000).fill('{}').join(',')}]}`)
    const [read] = await askIndexes([`${allowed}/base`], { signal: new AbortController().signal })
    expect(read).toMatchObject({ content: { invalid: 20_000 } })
  })

  it(
    'a server that never ends its answer is left after the time limit',
    { tags: ['slow'] },
    async () => {
      const site = await startServer((_, response) => void response.write('{"skills":['))
      const good = await startSite(formatIndex({ name: 'pdf', description: 'Reads.' }))
      const options = { signal: new AbortController().signal, timeoutMs: 1500 }
      const answers = await askIndexes([site, `${good}/base`], options)
      expect(answers).toMatchObject([
        { problem: { code: 'remote/timeout' } },
        { content: { skills: [{ name: 'pdf' }] } },
      ])
    },
  )

  it('a redirect to a private address is refused', async () => {
    const target = await startSite(formatIndex({ name: 'pdf', description: 'Secret.' }))
    const site = await startServer((_, response) => {
      const location = `${target.replace('127.0.0.1', '127.0.0.2')}/base/.well-known/agent-skills/index.json`
      response.writeHead(302, { location }).end()
    })
    const { signal } = new AbortController()
    const [answer] = await askIndexes([site], { signal })
    expect(answer).toMatchObject({ problem: { message: expect.stringContaining('redirect to') } })
    // The control: the target answers if the user names it.
    expect(await askIndexes([`${target}/base`], { signal })).toMatchObject([
      { content: { skills: [{ name: 'pdf' }] } },
    ])
  })

  it('a file of a site cannot name an archive outside of it', async () => {
    const project = createRootProject()
    mkdirSync(join(project.cwd, 'site'))
    writeTree(project.cwd, {
      'outside.tar.gz': '',
      'site/inside.tar.gz': '',
      'site/.well-known/agent-skills/index.json': formatIndex(
        { name: 'pdf-a', description: '', url: '../../../outside.tar.gz' },
        { name: 'pdf-b', description: '', url: '/%2e%2e/outside.tar.gz' },
        { name: 'pdf-c', description: '', url: '..%2f..%2f..%2foutside.tar.gz' },
        { name: 'pdf-d', description: '', url: '/inside.tar.gz' },
      ),
    })
    configureIndexes(project, './site')
    const { json } = await project.run('search', 'pdf', '--json')
    const { skills } = json() as unknown as SearchDocument
    expect(skills.map(({ install }) => install)).toEqual([
      null,
      null,
      null,
      join(project.cwd, 'site/inside.tar.gz'),
    ])
  })
})
