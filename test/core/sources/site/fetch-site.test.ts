import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { writeArchive } from '../../../../src/core/packing/formats.ts'
import { parseRemoteSource } from '../../../../src/core/sources/skill-source.ts'
import { fetchSite } from '../../../../src/core/sources/site/fetch-site.ts'
import type { FetchedSkill } from '../../../../src/core/sources/fetched-skill.ts'
import { startStaticSite, type StaticSite } from '../../../helpers/static-site.ts'

const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'
const INDEX = '/.well-known/agent-skills/index.json'
const LEGACY = '/.well-known/skills/index.json'
const MARKDOWN = '---\nname: greet\ndescription: Greets.\n---\n# Greet\n'

const digest = (bytes: string | Uint8Array): string => `sha256:${hash('sha256', bytes)}`

async function pack(text = MARKDOWN): Promise<Uint8Array> {
  return await writeArchive(
    'tar.gz',
    [{ path: 'SKILL.md', isExecutable: false, bytes: Buffer.from(text) }],
    { folder: '' },
  )
}

async function fetch(site: StaticSite, fragment = 'greet', base = ''): Promise<FetchedSkill> {
  const place = parseRemoteSource(`${site.origin}${base}#${fragment}`)
  if (place?.type !== 'site') throw new Error('Expected a site')
  const options = { signal: AbortSignal.timeout(30_000), env: {}, timeoutMs: 20_000 }
  return await fetchSite(place, options)
}

/** A site with one archive, whose entry a test changes. */
async function createSite(entry: object = {}, index: object = {}) {
  const site = await startStaticSite()
  const bytes = await pack()
  site.files.set('/greet.tar.gz', bytes)
  const valid = { name: 'greet', type: 'archive', description: 'Greets.' }
  const skills = [{ ...valid, url: '/greet.tar.gz', digest: digest(bytes), ...entry }]
  site.files.set(INDEX, JSON.stringify({ $schema: SCHEMA, skills, ...index }))
  return { site, bytes }
}

describe('a skill of a site', () => {
  it('is downloaded as an archive, and pinned by its digest', async () => {
    const { site, bytes } = await createSite()
    const fetched = await fetch(site)
    expect(fetched.files.map(({ path }) => path)).toEqual(['SKILL.md'])
    expect(fetched.resolved).toBe(
      `${site.origin}/greet.tar.gz#sha256=${digest(bytes).slice('sha256:'.length)}`,
    )
    expect(fetched.fixed).toBeUndefined()
  })

  it('is downloaded as a SKILL.md', async () => {
    const entry = { type: 'skill-md', url: 'greet', digest: digest(MARKDOWN) }
    const { site } = await createSite(entry)
    site.files.set('/.well-known/agent-skills/greet', MARKDOWN)
    const { files } = await fetch(site)
    expect(files).toEqual([{ path: 'SKILL.md', isExecutable: false, bytes: Buffer.from(MARKDOWN) }])
  })

  it('is found below a path of the server, and not above it', async () => {
    const { site, bytes } = await createSite()
    await expect(fetch(site, 'greet', '/base')).rejects.toThrow('it has no .well-known')
    const skills = [{ name: 'greet', type: 'archive', url: '../../a', digest: digest(bytes) }]
    site.files.set(`/base${INDEX}`, JSON.stringify({ $schema: SCHEMA, skills }))
    site.files.set('/base/a', bytes)
    expect((await fetch(site, 'greet', '/base')).resolved).toContain('/base/a#sha256=')
  })

  it('is read from the index of version 0.1, file by file', async () => {
    const site = await startStaticSite()
    const skills = [{ name: 'greet', description: 'Greets.', files: ['SKILL.md', 'a/b c.txt'] }]
    site.files.set(LEGACY, JSON.stringify({ skills }))
    site.files.set('/.well-known/skills/greet/SKILL.md', MARKDOWN)
    site.files.set('/.well-known/skills/greet/a/b%20c.txt', 'text')
    const { files, resolved } = await fetch(site)
    expect(files.map(({ path }) => path)).toEqual(['SKILL.md', 'a/b c.txt'])
    expect(resolved).toBe(`${site.origin}/#greet`)
  })

  it('has an older version in the list of versions, with the reason of its withdrawal', async () => {
    const { site, bytes } = await createSite({ version: '2.0.0' })
    const archives = [
      { path: '1.0.0/greet-1.0.0.tar.gz', type: 'tar.gz', digest: digest(bytes), size: 1 },
    ]
    const versions = [
      { version: '1.0.0', yanked: null, archives },
      { version: '0.9.0', yanked: 'broken', archives },
    ]
    site.files.set('/skills/greet/index.json', JSON.stringify({ name: 'greet', versions }))
    site.files.set('/skills/greet/1.0.0/greet-1.0.0.tar.gz', bytes)
    expect(await fetch(site, 'greet@2.0.0')).toMatchObject({ fixed: { version: '2.0.0' } })
    expect(await fetch(site, 'greet@1.0.0')).toMatchObject({ fixed: { version: '1.0.0' } })
    expect(await fetch(site, 'greet@0.9.0')).toMatchObject({ yanked: 'broken' })
    await expect(fetch(site, 'greet@3.0.0')).rejects.toThrow('has no version 3.0.0')
  })

  it('that is missing is reported with a similar name', async () => {
    const { site } = await createSite()
    await expect(fetch(site, 'great')).rejects.toMatchObject({
      code: 'skill/not-found',
      hint: 'Did you mean "greet"?',
    })
  })
})

describe('a hostile index', () => {
  it.each<[string, { entry?: object; index?: object }, string]>([
    ['has an unknown schema', { index: { $schema: `${SCHEMA}/9` } }, '$schema is'],
    ['has a schema that is a list', { index: { $schema: [SCHEMA] } }, '$schema is'],
    ['has no skills', { index: { skills: {} } }, 'expected a list'],
    ['has an entry without a digest', { entry: { digest: undefined } }, 'digest is missing'],
    ['has a short digest', { entry: { digest: 'sha256:ab' } }, 'digest is'],
    ['has a digest in upper case', { entry: { digest: `sha256:${'A'.repeat(64)}` } }, 'digest is'],
    ['has a wrong digest', { entry: { digest: `sha256:${'0'.repeat(64)}` } }, 'its digest is'],
    ['has an unknown type', { entry: { type: 'script' } }, 'type is'],
    [
      'has the type of a file that is an archive',
      { entry: { type: 'skill-md' } },
      'not of the type',
    ],
    ['has no URL', { entry: { url: undefined } }, 'url is missing'],
    [
      'has a URL with a password',
      { entry: { url: 'https://me:secret@example.com/a' } },
      'a user name',
    ],
    [
      'has a URL of another server',
      { entry: { url: 'https://example.com/a.zip' } },
      'another server',
    ],
    ['has a URL of a local file', { entry: { url: 'file:///etc/passwd' } }, 'expected https'],
    ['has a URL of another port', { entry: { url: 'http://127.0.0.1:1/a.zip' } }, 'another server'],
    ['has a name that is a number', { entry: { name: 1 } }, 'name is 1'],
  ])('that %s is refused', async (_title, { entry, index }, problem) => {
    const { site } = await createSite(entry, index)
    await expect(fetch(site)).rejects.toThrow(problem)
    // The control: the entry without the change is accepted.
    expect((await fetch((await createSite()).site)).files).toHaveLength(1)
  })

  it('with two skills of one name is refused', async () => {
    const { site, bytes } = await createSite()
    const entry = { name: 'greet', type: 'archive', url: '/greet.tar.gz', digest: digest(bytes) }
    site.files.set(INDEX, JSON.stringify({ $schema: SCHEMA, skills: [entry, entry] }))
    await expect(fetch(site)).rejects.toThrow('twice')
  })

  it('with a key that is there twice is refused, which a plain parser accepts', async () => {
    const { site, bytes } = await createSite()
    const good = digest(bytes)
    const evil = `sha256:${'0'.repeat(64)}`
    const text = `{"$schema":"${SCHEMA}","skills":[{"name":"greet","type":"archive","url":"/greet.tar.gz","digest":"${evil}","digest":"${good}"}]}`
    site.files.set(INDEX, text)
    await expect(fetch(site)).rejects.toThrow('is there twice')
    expect(JSON.parse(text)).toMatchObject({ skills: [{ digest: good }] })
  })

  it('cannot name members of a prototype', async () => {
    const { site } = await createSite()
    const text = `{"$schema":"${SCHEMA}","skills":[{"name":"greet","__proto__":{"type":"archive","url":"/greet.tar.gz","digest":"sha256:${'0'.repeat(64)}"}}]}`
    site.files.set(INDEX, text)
    await expect(fetch(site)).rejects.toThrow('type is missing')
    await expect(fetch(site, 'constructor')).rejects.toThrow('has no skill "constructor"')
    // The control: a merge of the object would find the members.
    const { skills } = JSON.parse(text) as { skills: object[] }
    expect(Object.assign({}, skills[0])).toHaveProperty('type', 'archive')
  })

  it('that is nested deeply is refused before it is parsed', async () => {
    const { site } = await createSite()
    site.files.set(INDEX, '['.repeat(200_000))
    await expect(fetch(site)).rejects.toThrow('nested too deeply')
  })

  it('with hundreds of thousands of entries is refused', async () => {
    const { site } = await createSite()
    const entries = Array.from({ length: 200_000 }, (_, at) => `{"name":"a${at}"}`)
    site.files.set(INDEX, `{"$schema":"${SCHEMA}","skills":[${entries.join(',')}]}`)
    await expect(fetch(site)).rejects.toThrow('more than 20000 elements')
  })

  it('of many megabytes is refused', async () => {
    const { site } = await createSite()
    site.files.set(INDEX, ' '.repeat(9 * 1024 ** 2))
    await expect(fetch(site)).rejects.toThrow('more than 8388608 bytes')
  })

  it('that is a page of HTML is refused', async () => {
    const { site } = await createSite()
    site.files.set(INDEX, '<!doctype html>')
    await expect(fetch(site)).rejects.toThrow('it is not JSON')
  })

  it('cannot redirect to a private address', async () => {
    const { site } = await createSite()
    const other = await startStaticSite()
    const target = other.origin.replace('127.0.0.1', 'localhost')
    other.files.set('/x', '{}')
    site.files.set(INDEX, new URL(`${target}/x`))
    await expect(fetch(site)).rejects.toThrow('a redirect to')
    expect(other.requests).toEqual([])
  })

  it('cannot redirect an archive to another server of this machine', async () => {
    const { site, bytes } = await createSite()
    const other = await startStaticSite()
    other.files.set('/greet.tar.gz', bytes)
    site.files.set('/greet.tar.gz', new URL(`${other.origin}/greet.tar.gz`))
    await expect(fetch(site)).rejects.toThrow('a redirect to')
    // The control: a redirect on the same server is followed.
    site.files.set('/real.tar.gz', bytes)
    site.files.set('/greet.tar.gz', new URL(`${site.origin}/real.tar.gz`))
    expect((await fetch(site)).files).toHaveLength(1)
  })

  it.each([
    ['../evil', 'evil'],
    ['/etc/passwd', 'passwd'],
    ['a/../../b', 'a/../../b'],
    ['SKILL.md\u0000', 'SKILL.md'],
    ['skill.MD', 'skill.MD'],
    ['.git/config', '.git'],
  ])('of version 0.1 with the path %s is refused', async (path, shown) => {
    const site = await startStaticSite()
    site.files.set(
      LEGACY,
      JSON.stringify({ skills: [{ name: 'greet', files: ['SKILL.md', path] }] }),
    )
    site.files.set('/.well-known/skills/greet/SKILL.md', MARKDOWN)
    await expect(fetch(site)).rejects.toThrow(shown)
    expect(site.requests).toEqual([INDEX, LEGACY])
  })

  it('of versions cannot leave the folder of the skill', async () => {
    const { site, bytes } = await createSite()
    const archives = [{ path: '../../evil.tar.gz', type: 'tar.gz', digest: digest(bytes) }]
    const versions = [{ version: '1.0.0', yanked: null, archives }]
    site.files.set('/skills/greet/index.json', JSON.stringify({ versions }))
    site.files.set('/evil.tar.gz', bytes)
    await expect(fetch(site, 'greet@1.0.0')).rejects.toThrow('a relative path')
  })
})
