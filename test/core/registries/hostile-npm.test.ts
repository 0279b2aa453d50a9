import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { writeTarGz } from '../../../src/core/packing/write/write-tar.ts'
import { pullPackage, type PulledPackage } from '../../../src/core/registries/npm/pull-package.ts'
import { createNpmClient, startNpmRegistry, TOKEN, type FakeNpmRegistry } from './npm-registry.ts'
import { listen } from './oci-registry.ts'

type PackageFiles = Record<string, string>

const MANIFEST = JSON.stringify({ name: 'tools', version: '1.0.0' })
const SKILL = '---\nname: greet\ndescription: Greets\n---\n'
const PLAIN: PackageFiles = { 'package.json': MANIFEST, 'skills/greet/SKILL.md': SKILL }

/** Stores a package without the checks of a client. */
async function startWith(files: PackageFiles, root = 'package'): Promise<FakeNpmRegistry> {
  const registry = await startNpmRegistry()
  const packed = Object.entries(files).map(([path, text]) => ({
    path: `${root}/${path}`,
    isExecutable: false,
    bytes: Buffer.from(text),
  }))
  const bytes = Buffer.from(await writeTarGz(packed))
  const path = '/tools/-/tools-1.0.0.tgz'
  registry.tarballs.set(path, bytes)
  registry.packages.set('tools', {
    name: 'tools',
    'dist-tags': { latest: '1.0.0' },
    versions: {
      '1.0.0': {
        name: 'tools',
        version: '1.0.0',
        dist: {
          tarball: new URL(path, registry.url).href,
          integrity: `sha512-${hash('sha512', bytes, 'base64')}`,
        },
      },
    },
  })
  return registry
}

const getDist = ({ packages }: FakeNpmRegistry) => packages.get('tools')!.versions['1.0.0']!.dist

const pull = async ({ url }: FakeNpmRegistry, skill?: string): Promise<PulledPackage> =>
  await pullPackage(createNpmClient(url), { name: 'tools', version: undefined, skill })

describe('a hostile npm registry', () => {
  it('the control: the same registry without an attack returns the skill', async () => {
    const { files } = await pull(await startWith(PLAIN))
    expect(files.map(({ path }) => path)).toEqual(['SKILL.md'])
  })

  it('is refused with other bytes than its integrity names', async () => {
    const registry = await startWith(PLAIN)
    for (const path of registry.tarballs.keys()) registry.tarballs.set(path, Buffer.from('other'))
    await expect(pull(registry)).rejects.toThrow('does not match the integrity')
  })

  it.each([undefined, 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=', 'sha512-short', ''])(
    'is refused with the integrity %s',
    async (integrity) => {
      const registry = await startWith(PLAIN)
      const dist = getDist(registry)
      if (integrity === undefined) delete dist.integrity
      else dist.integrity = integrity
      await expect(pull(registry)).rejects.toThrow('no SHA-512')
    },
  )

  it('is refused with another package, or another version, in the archive', async () => {
    for (const identity of [
      { name: 'other', version: '1.0.0' },
      { name: 'tools', version: '0.9.0' },
    ]) {
      const files = { ...PLAIN, 'package.json': JSON.stringify(identity) }
      await expect(pull(await startWith(files))).rejects.toThrow('in package.json')
    }
  })

  it('is refused with another name in its answer', async () => {
    const registry = await startWith(PLAIN)
    registry.packages.get('tools')!.name = 'other'
    await expect(pull(registry)).rejects.toThrow('the registry answers with "other"')
  })

  it('is refused with paths of skills that lead out of the package', async () => {
    for (const path of ['../../etc', '/etc', 'skills/../../x', 'skills/none']) {
      const agents = { skills: [{ name: 'greet', path }] }
      const manifest = JSON.stringify({ name: 'tools', version: '1.0.0', agents })
      const pulled = pull(await startWith({ ...PLAIN, 'package.json': manifest }))
      await expect(pulled, path).rejects.toThrow(/the path|there is no SKILL.md/)
    }
  })

  it('is refused with several skills, of which one is chosen by its name', async () => {
    const registry = await startWith({ ...PLAIN, 'skills/other/SKILL.md': SKILL })
    await expect(pull(registry)).rejects.toThrow('has 2 skills')
    await expect(pull(registry, 'third')).rejects.toThrow('has no skill "third"')
    expect(await pull(registry, 'other')).toMatchObject({ skill: 'other' })
  })

  it('is refused without a skill', async () => {
    const registry = await startWith({ 'package.json': MANIFEST, 'index.js': '' })
    await expect(pull(registry)).rejects.toThrow('has no skill')
  })

  it('is refused with paths in its archive that lead out', async () => {
    const registry = await startWith({ ...PLAIN, '../../evil': 'text' })
    await expect(pull(registry)).rejects.toThrow(
      expect.objectContaining({ code: 'archive/invalid' }),
    )
  })

  it('is refused with a version that is not the one of its key', async () => {
    const registry = await startWith(PLAIN)
    registry.packages.get('tools')!.versions['1.0.0']!.version = '2.0.0'
    await expect(pull(registry)).rejects.toThrow('is "2.0.0", expected "1.0.0"')
  })

  it('gets no token for an archive on another server, whose bytes must match', async () => {
    const seen: (string | undefined)[] = []
    const registry = await startWith(PLAIN)
    const [bytes] = registry.tarballs.values()
    const other = await listen(async ({ headers }, response) => {
      seen.push(headers.authorization)
      await Promise.resolve(response.end(bytes))
    })
    getDist(registry).tarball = `http://${other}/tools.tgz`
    expect((await pull(registry)).files).toHaveLength(1)
    expect(seen).toEqual([undefined])
    // The control: the registry got the token.
    expect(registry.requests[0]?.authorization).toBe(`Bearer ${TOKEN}`)
  })

  it('is refused with a redirect of its list of versions to another server', async () => {
    const other = await startWith(PLAIN)
    const registry = await startNpmRegistry({
      intercept: ({ url }, response) => {
        response.writeHead(302, { location: new URL(url ?? '', other.url).href }).end()
        return true
      },
    })
    await expect(pull(registry)).rejects.toThrow('redirects to another one')
    expect(registry.requests[0]?.authorization).toBe(`Bearer ${TOKEN}`)
    expect(other.requests).toEqual([])
  })

  it('gets no token for an archive behind a redirect to another server', async () => {
    const seen: (string | undefined)[] = []
    const source = await startWith(PLAIN)
    const [bytes] = source.tarballs.values()
    const other = await listen(async ({ headers }, response) => {
      seen.push(headers.authorization)
      await Promise.resolve(response.end(bytes))
    })
    const registry = await startNpmRegistry({
      intercept: ({ url }, response) => {
        if (!url?.endsWith('.tgz')) return false
        response.writeHead(302, { location: `http://${other}/signed` }).end()
        return true
      },
    })
    const { tarball } = getDist(source)
    registry.packages.set('tools', source.packages.get('tools')!)
    getDist(registry).tarball = new URL(new URL(tarball).pathname, registry.url).href
    expect((await pull(registry)).files).toHaveLength(1)
    expect(seen).toEqual([undefined])
    expect(registry.requests.every(({ authorization }) => authorization !== undefined)).toBe(true)
  })

  it('gets no token for an archive beside its own path', async () => {
    const source = await startWith(PLAIN)
    const registry = await startNpmRegistry({
      intercept: ({ url }, response) => {
        if (url !== '/npm/tools') return false
        response.end(JSON.stringify(source.packages.get('tools')))
        return true
      },
    })
    const [[path, bytes] = ['', Buffer.of()]] = source.tarballs
    registry.tarballs.set(path, bytes)
    getDist(source).tarball = new URL(path, registry.url).href
    const client = createNpmClient(new URL('npm/', registry.url))
    await pullPackage(client, { name: 'tools', version: undefined, skill: undefined })
    const authorizations = registry.requests.map(({ authorization }) => authorization)
    expect(authorizations).toEqual([`Bearer ${TOKEN}`, undefined])
  })

  it('gets an upload at its own address only', async () => {
    const other = await startNpmRegistry()
    const registry = await startNpmRegistry({
      intercept: (_, response) => {
        response.writeHead(307, { location: new URL('/tools', other.url).href }).end()
        return true
      },
    })
    const write = createNpmClient(registry.url).write('tools', { name: 'tools' })
    await expect(write).rejects.toThrow('it answered with 307')
    expect(other.requests).toEqual([])
  })

  it('is read in spite of old versions without facts, which are refused when they are used', async () => {
    const registry = await startWith(PLAIN)
    const stored = registry.packages.get('tools')!
    const { dist } = stored.versions['1.0.0']!
    Object.assign(stored.versions, {
      '0.1.0': { name: 'tools', version: '0.1.0' },
      '0.2.0beta': { name: 'tools', version: '0.2.0beta', dist },
    })
    Object.assign(stored['dist-tags'], { old: '0.1.0', odd: '0.2.0beta' })
    expect((await pull(registry)).version).toBe('1.0.0')
    const client = createNpmClient(registry.url)
    const get = async (version: string) =>
      await pullPackage(client, { name: 'tools', version, skill: undefined })
    await expect(get('0.1.0')).rejects.toThrow('versions.0.1.0.dist is missing, expected an object')
    await expect(get('odd')).rejects.toThrow('There is no')
  })

  it.each<[unknown, string | undefined]>([
    [undefined, undefined],
    ['', undefined],
    [false, undefined],
    ['is broken', 'is broken'],
    [true, 'no reason is given'],
  ])('states with %j that a version is deprecated: %j', async (deprecated, reason) => {
    const registry = await startWith(PLAIN)
    Object.assign(registry.packages.get('tools')!.versions['1.0.0']!, { deprecated })
    const packument = await createNpmClient(registry.url).readPackument('tools', 'short')
    expect(packument?.versions.get('1.0.0')?.deprecated).toBe(reason)
  })

  it.each(['https://169.254.169.254/a.tgz', 'https://10.0.0.1/a.tgz', 'http://example.com/a.tgz'])(
    'is refused with an archive at %s',
    async (address) => {
      const registry = await startWith(PLAIN)
      getDist(registry).tarball = address
      await expect(pull(registry)).rejects.toThrow(/a (?:metadata|private) address|expected https/)
    },
  )

  it('is refused with attestations that are not bundles', async () => {
    const registry = await startWith(PLAIN)
    getDist(registry).attestations = { url: 'any' }
    expect((await pull(registry)).attestations).toEqual([])
    registry.attestations.set('tools@1.0.0', [{ bundle: { dsseEnvelope: 'text' } }])
    await expect(pull(registry)).rejects.toThrow(
      expect.objectContaining({ code: 'signature/malformed' }),
    )
  })

  it('never executes scripts of a package', async () => {
    const scripts = { preinstall: 'touch /tmp/executed', install: 'exit 1', postinstall: 'exit 1' }
    const manifest = JSON.stringify({ name: 'tools', version: '1.0.0', scripts })
    const { files } = await pull(await startWith({ ...PLAIN, 'package.json': manifest }))
    expect(files).toHaveLength(1)
  })
})
