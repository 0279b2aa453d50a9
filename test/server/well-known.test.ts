import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseDocument } from 'yaml'
import { readArchive } from '../../src/core/packing/read/read-archive.ts'
import { adaptMarkdown } from '../../src/server/well-known/publish.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'
import { createFolder } from '../helpers/skills.ts'

interface Index {
  $schema?: string
  skills: {
    name: string
    type: string
    description: string
    url: string
    digest: string
    files?: string[]
  }[]
}

const INDEX = '/.well-known/agent-skills/index.json'
const tree = {
  ...prefixPaths('skills/greet', createActionSkill('demo.greet')),
  ...prefixPaths('skills/old', createActionSkill('demo.greet', { version: '0.0.9' })),
  'skills/pdf/SKILL.md':
    '---\nname: pdf-forms\ndescription: Fills forms.\nlicense: MIT\n---\n\n# PDF\n',
}

async function fetchIndex(server: TestServer, path = INDEX): Promise<Index> {
  const response = await server.fetch(path)
  expect(response.headers.get('content-type')).toBe('application/json')
  return (await response.json()) as Index
}

/** Unpacks an archive with the system's tar and returns its files. */
function unpack(archive: Buffer): Map<string, string> {
  const dir = createFolder()
  writeFileSync(join(dir, 'a.tar.gz'), archive)
  execFileSync('tar', ['xzf', 'a.tar.gz'], { cwd: dir })
  rmSync(join(dir, 'a.tar.gz'))
  const names = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((each) =>
    each.isFile(),
  )
  return new Map(
    names.map((each) => {
      const path = join(each.parentPath, each.name)
      return [path.slice(dir.length + 1), readFileSync(path, 'utf8')]
    }),
  )
}

describe('the well-known index', () => {
  it('lists the newest version of each skill with its URL and digest', async () => {
    const server = await startTestServer({ tree })
    const { $schema, skills } = await fetchIndex(server)
    expect($schema).toBe('https://schemas.agentskills.io/discovery/0.2.0/schema.json')
    expect(skills.map((each) => [each.name, each.type])).toEqual([
      ['demo-greet', 'archive'],
      ['pdf-forms', 'skill-md'],
    ])
    for (const { url, digest, name, description } of skills) {
      expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
      expect(description).not.toBe('')
      const response = await server.fetch(new URL(url, server.url + INDEX).pathname)
      const bytes = Buffer.from(await response.arrayBuffer())
      expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(digest)
    }
  })

  it('serves an archive in which executable files stay executable', async () => {
    const server = await startTestServer({ tree })
    chmodSync(join(server.dir, 'skills/greet/code/main.py'), 0o755)
    const { skills } = await fetchIndex(server)
    const path = '/.well-known/agent-skills/demo-greet.tar.gz'
    const bytes = Buffer.from(await (await server.fetch(path)).arrayBuffer())
    const files = await readArchive(bytes)
    const executable = files.filter(({ isExecutable }) => isExecutable)
    expect(executable.map((each) => each.path)).toEqual(['code/main.py'])
    const digest = createHash('sha256').update(bytes).digest('hex')
    expect(skills[0]?.digest).toBe(`sha256:${digest}`)
  })

  it('serves an archive with SKILL.md at its root, a valid Agent Skill', async () => {
    const server = await startTestServer({ tree })
    const response = await server.fetch('/.well-known/agent-skills/demo-greet.tar.gz')
    expect(response.headers.get('content-type')).toBe('application/gzip')
    const files = unpack(Buffer.from(await response.arrayBuffer()))
    expect([...files.keys()].sort()).toEqual(['SKILL.md', 'code/main.py', 'skill.toml'])
    expect(files.get('SKILL.md')).toMatch(
      /^---\nname: demo-greet\ndescription: Greets somebody by name\./,
    )
    expect(files.get('code/main.py')).toBe(tree['skills/greet/code/main.py' as never])
  })

  it('is readable by older tools, file by file', async () => {
    const server = await startTestServer({ tree })
    const { $schema, skills } = await fetchIndex(server, '/.well-known/skills/index.json')
    expect($schema).toBeUndefined()
    expect(skills.find((each) => each.name === 'demo-greet')?.files).toEqual([
      'SKILL.md',
      'code/main.py',
      'skill.toml',
    ])
    for (const path of ['SKILL.md', 'code/main.py']) {
      expect((await server.fetch(`/.well-known/skills/demo-greet/${path}`)).status).toBe(200)
    }
    expect((await server.fetch('/.well-known/skills/demo-greet/nope')).status).toBe(404)
    expect((await server.fetch('/.well-known/skills/demo-greet/..%2f..%2fx')).status).toBe(404)
    expect((await server.fetch('/.well-known/agent-skills/nope.tar.gz')).status).toBe(404)
  })

  it('answers HEAD requests and matching entity tags', async () => {
    const server = await startTestServer({ tree })
    const first = await server.fetch(INDEX, { method: 'HEAD' })
    const etag = first.headers.get('etag') ?? ''
    expect(etag).not.toBe('')
    expect((await server.fetch(INDEX, { headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  it('distinguishes two skills whose published names would be equal', async () => {
    const server = await startTestServer({
      tree: {
        ...prefixPaths('skills/a', createActionSkill('demo.a.b')),
        ...prefixPaths('skills/b', createActionSkill('demo.a-b')),
      },
    })
    const names = (await fetchIndex(server)).skills.map((each) => each.name)
    expect(names).toEqual(['demo-a-b', 'demo-a-b-2'])
  })
})

describe('adaptMarkdown()', () => {
  const facts = { name: 'demo-greet', description: 'Says: "hi" # there' }

  it.each([
    '# Only a body\n',
    '---\n---\nbody\n',
    '---\nname: Greet People\nshort_description: Says hi.\ntags: [a, b]\n---\n\n# Body\n',
    '---\n- a list\n---\nbody\n',
  ])('converts %j to a valid Agent Skill', async (text) => {
    const adapted = await adaptMarkdown(text, facts)
    const front = /^---\n([\s\S]*?)---\n/.exec(adapted)?.[1] ?? ''
    expect(parseDocument(front).toJS()).toMatchObject(facts)
    expect(adapted.endsWith(text.slice(-6))).toBe(true)
  })

  it('leaves valid front matter unchanged and keeps other fields', async () => {
    const valid = '---\nname: demo-greet\ndescription: Own words.\n---\nbody\n'
    expect(await adaptMarkdown(valid, facts)).toBe(valid)
    const adapted = await adaptMarkdown('---\nname: x\nlicense: MIT # ours\n---\nbody\n', facts)
    expect(adapted).toContain('license: MIT # ours')
  })
})
