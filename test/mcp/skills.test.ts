import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectClient, waitUntil, MCP_ROUTES, type McpConnection } from '../helpers/mcp.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { writeTree, runSkills as cli } from '../helpers/skills.ts'

const plain = (name: string, more = '') => ({
  'SKILL.md': `---\nname: ${name}\ndescription: What it does.\n${more}---\n\n# Title\n`,
})

const tree = {
  ...prefixPaths('skills/one', {
    ...createActionSkill('acme.invoices.sum'),
    'references/a/b.md': '# B\n',
    '.env': 'SECRET=1\n',
    'data.bin': Buffer.from([0, 1, 2, 255]),
  }),
  ...prefixPaths('more/two', { ...createActionSkill('acme.invoices.sum', { version: '0.0.9' }) }),
  ...prefixPaths('more/renamed', {
    ...createActionSkill('acme.other'),
    'SKILL.md': '---\nname: another-name\ndescription: Named otherwise.\n---\n\n# Other\n',
  }),
  ...prefixPaths('more/big', { ...plain('big'), 'big.txt': 'x'.repeat(3 * 1024 ** 2) }),
  // Skills that cannot be offered, each for a different reason.
  ...prefixPaths('bad/capitals', { ...createActionSkill('bad.capitals'), ...plain('Bad Name') }),
  ...prefixPaths('bad/anchor', {
    ...createActionSkill('bad.anchor'),
    ...plain('anchor', 'license: &l MIT\n'),
  }),
  ...prefixPaths('bad/many', {
    ...plain('many'),
    ...Object.fromEntries(Array.from({ length: 513 }, (_, at) => [`r/${at}.txt`, `${at}`])),
  }),
  ...prefixPaths('bad/heavy', { ...plain('heavy'), 'heavy.bin': Buffer.alloc(17 * 1024 ** 2) }),
  ...prefixPaths('bad/linked', plain('linked')),
  ...prefixPaths('bad/numbers', plain('numbers', 'metadata:\n  major: 1\n')),
  ...prefixPaths('bad/long', plain('long', `compatibility: ${'x'.repeat(501)}\n`)),
}

const ROOTS = ['--root', 'skills', '--root', 'more', '--root', 'bad']

describe('the skills extension', () => {
  const dir = mkdtempSync(join(tmpdir(), 'skills-test-'))
  let connected: McpConnection
  let client: Client
  let skills: SkillsClient
  beforeAll(async () => {
    writeTree(dir, tree)
    symlinkSync('SKILL.md', join(dir, 'bad/linked/copy.md'))
    connected = await connectClient({ era: 'modern', transport: 'http' }, { cwd: dir, argv: ROOTS })
    client = connected.client
    skills = new SkillsClient(client)
  })
  afterAll(async () => {
    await connected.close()
    rmSync(dir, { recursive: true, force: true })
  })

  it('offers the newest version of each skill of all roots, with dotted names as nested paths', async () => {
    const { skills: listed } = await skills.list()
    expect(listed.map(({ uri }) => uri)).toEqual([
      'skill://acme/invoices/sum/SKILL.md',
      'skill://acme/other/another-name/SKILL.md',
      'skill://big/SKILL.md',
    ])
    const file = await skills.read(listed[0]!)
    expect(file.verified).toBe(true)
    const { resources } = await client.listResources()
    expect(resources[0]).toMatchObject({
      name: 'sum',
      mimeType: 'text/markdown',
      _meta: { 'io.modelcontextprotocol.skills/id': 'acme.invoices.sum@0.1.0' },
    })
  })

  it('returns every file except hidden ones with its digest', async () => {
    const { skill } = await skills.get('skill://acme/invoices/sum/SKILL.md')
    const files = skill.resources as { uri: string; digest: string; size: number }[]
    const root = 'skill://acme/invoices/sum'
    expect(files.map(({ uri }) => uri.slice(root.length + 1))).toEqual([
      'SKILL.md',
      'code/main.py',
      'data.bin',
      'references/a/b.md',
      'skill.toml',
    ])
    const { bytes } = await skills.read(skill, 'data.bin')
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    expect(files[2]).toMatchObject({ digest, size: 4 })
    await expect(client.readResource({ uri: `${root}/.env` })).rejects.toMatchObject({
      code: -32602,
    })
    // Larger than read_skill_file returns.
    const { skill: big } = await skills.get('skill://big/SKILL.md')
    expect((await skills.read(big, 'big.txt')).bytes).toHaveLength(3 * 1024 ** 2)
  })

  it('lists folders, including those above skills', async () => {
    const names = async (uri: string) =>
      (await skills.readDirectory(uri)).resources.map(({ name, mimeType }) => `${name} ${mimeType}`)
    expect(await names('skill://acme')).toEqual([
      'invoices inode/directory',
      'other inode/directory',
    ])
    expect(await names('skill://acme/invoices/sum')).toEqual([
      'SKILL.md text/markdown',
      'code inode/directory',
      'data.bin application/octet-stream',
      'references inode/directory',
      'skill.toml application/toml',
    ])
    expect(await names('skill://acme/invoices/sum/references/a/')).toEqual(['b.md text/markdown'])
    for (const uri of ['skill://acme/invoices/sum/SKILL.md', 'skill://none']) {
      await expect(skills.readDirectory(uri)).rejects.toMatchObject({ code: -32602 })
    }
  })

  it('omits skills it cannot offer, with the reasons of lint', async () => {
    const { skills: listed } = await skills.list()
    for (const name of ['capitals', 'anchor', 'many', 'heavy', 'linked', 'numbers', 'long']) {
      expect(listed.map(({ uri }) => uri).join()).not.toContain(name)
      const left = connected
        .stderr()
        .split('\n')
        .find((line) => line.includes(`${name} is not offered over MCP`))
      const { reason } = JSON.parse(left ?? '{}') as { reason?: string }
      const messages: string[] = []
      for (const profile of ['mcp', 'agent-skills']) {
        const argv = ['lint', `bad/${name}`, '--profile', profile, '--json']
        const linted = (await cli(argv, { cwd: dir })).stdout
        const { findings } = JSON.parse(linted) as { findings: { message: string }[] }
        messages.push(...findings.map(({ message }) => message))
      }
      expect(messages).toContain(reason)
    }
  })
})

describe.each(MCP_ROUTES)('edits of skills over $transport, $era', (way) => {
  it('are announced to the client, whichever file they change', { tags: ['slow'] }, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'skills-test-'))
    writeTree(dir, prefixPaths('skills/one', { ...plain('one'), 'references/a.md': 'a' }))
    const { client, close } = await connectClient(way, { cwd: dir, argv: ['--root', 'skills'] })
    try {
      const uri = 'skill://one/references/a.md'
      const skills = new SkillsClient(client)
      expect((await skills.list()).skills).toHaveLength(1)
      let lists = 0
      const updated: string[] = []
      client.setNotificationHandler('notifications/resources/list_changed', () => {
        lists += 1
      })
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        updated.push(params.uri)
      })
      if (way.era === 'modern') {
        await client.listen({ resourcesListChanged: true, resourceSubscriptions: [uri] })
      } else await client.subscribeResource({ uri })

      // Watching starts shortly after the first response.
      let text = 'b'
      await waitUntil(async () => {
        if (updated.length > 0) return true
        writeFileSync(join(dir, 'skills/one/references/a.md'), (text += 'b'))
        await new Promise((resolve) => setTimeout(resolve, 150))
        return false
      })
      expect(new Set(updated)).toEqual(new Set([uri]))
      const before = lists
      expect(before).toBeGreaterThan(0)

      mkdirSync(join(dir, 'skills/two'))
      writeFileSync(join(dir, 'skills/two/SKILL.md'), plain('two')['SKILL.md'])
      await waitUntil(() => lists > before)
      await waitUntil(async () => (await skills.list()).skills.length === 2)

      rmSync(join(dir, 'skills/one'), { recursive: true })
      await waitUntil(async () => (await skills.list()).skills.length === 1)
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602 })
    } finally {
      await close()
      rmSync(dir, { recursive: true, force: true })
    }
  })
})
