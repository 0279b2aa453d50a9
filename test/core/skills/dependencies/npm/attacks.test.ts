// @module-tag slow
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills } from '../../../../helpers/skills.ts'
import { buildTar, type TarPart } from '../../../packing/hostile/build-tar.ts'
import { buildPackage, computeIntegrity, openFakeRegistry, type FakeRegistry } from './fake-registry.ts'
import { createNodeSkill, GREETINGS, lockVersions, WORDS, type LockedVersion } from './node-skills.ts'

const CACHE = '.cache/skills/dependencies'

function listInstallations(home: string): string[] {
  const dir = join(home, CACHE)
  return existsSync(dir) ? readdirSync(dir) : []
}

async function install(registry: FakeRegistry, lock: string, env: Record<string, string> = {}) {
  const HOME = createFolder()
  const dir = createNodeSkill(registry, { 'package-lock.json': lock })
  const at = { env: { HOME, npm_config_registry: registry.url, ...env } }
  const ran = await runSkills(['deps', 'install', dir, '--json'], at)
  return { ...ran, HOME, installed: listInstallations(HOME) }
}

const MANIFEST: TarPart = { path: 'package/package.json', data: '{"name":"greetings","version":"1.0.0"}' }
const pack = (...parts: TarPart[]) => gzipSync(buildTar([MANIFEST, ...parts]))

/** Archives with the right integrity: their publisher is the attacker. */
const ARCHIVES: [name: string, archive: Buffer, says: string][] = [
  ['a path that leads out', pack({ path: 'package/../../../evil.js', data: 'x' }), 'leads out with'],
  ['an absolute path', pack({ path: '/tmp/evil.js', data: 'x' }), 'is absolute'],
  ['a symbolic link', pack({ path: 'package/x', type: '2', link: '/etc/passwd' }), 'symbolic link'],
  ['a hard link', pack({ path: 'package/x', type: '1', link: '/etc/passwd' }), 'hard link'],
  ['a device', pack({ path: 'package/x', type: '3' }), 'is a device'],
  ['a file outside of its folder', pack({ path: 'other/x.js', data: 'x' }), 'not in one folder'],
  ['another locked package', pack({ path: 'package/node_modules/b/index.js', data: 'x' }), 'node_modules'],
  ['a bomb', pack({ path: 'package/x', data: Buffer.alloc(300 * 1024 ** 2) }), 'unpacks to more than'],
  ['another package', buildPackage({ name: 'evil' }), 'is that of "evil@1.0.0"'],
  ['another version', buildPackage({ name: 'greetings', version: '9.0.0' }), 'that of "greetings@9.0.0"'],
  ['no package.json', gzipSync(buildTar([{ path: 'package/x', data: 'x' }])), 'has no package.json'],
  ['text instead of an archive', Buffer.from('not found'), 'neither a tar archive'],
]

describe('a hostile package', () => {
  it.each(ARCHIVES)('with %s is refused, and nothing is installed', async (_, archive, says) => {
    const registry = await openFakeRegistry()
    const ran = await install(registry, lockVersions(registry, [{ ...GREETINGS, archive }]))
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain('The package "greetings@1.0.0" is refused')
    expect(ran.stderr).toContain(says)
    expect(ran.installed).toEqual([])
  })

  it('without these faults is installed, the control', async () => {
    const registry = await openFakeRegistry()
    const archive = pack({ path: 'package/index.js', data: 'x' })
    const ran = await install(registry, lockVersions(registry, [{ ...GREETINGS, archive }]))
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.installed).toHaveLength(1)
  })

  it('with a manifest that sets a prototype changes no object', async () => {
    const registry = await openFakeRegistry()
    const data = '{"name":"greetings","version":"1.0.0","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"scripts":{"__proto__":{"install":"x"}}}'
    const archive = gzipSync(buildTar([{ path: 'package/package.json', data }]))
    const ran = await install(registry, lockVersions(registry, [{ ...GREETINGS, archive }]))
    expect(ran.json()).toMatchObject({ locks: [{ state: 'installed', scripts: [] }] })
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    // The control: a naive merge of the same text does.
    const target: Record<string, unknown> = {}
    const merge = (to: Record<string, unknown>, from: Record<string, unknown>) => {
      for (const key in from) {
        if (typeof to[key] === 'object') merge(to[key] as typeof to, from[key] as typeof from)
        else to[key] = from[key]
      }
    }
    merge(target, JSON.parse(data) as Record<string, unknown>)
    expect(({} as Record<string, unknown>)['polluted']).toBe(1)
    delete (Object.prototype as unknown as Record<string, unknown>)['polluted']
  })
})

describe('a hostile registry', () => {
  it('that changes its answer is detected before the archive is parsed', async () => {
    const registry = await openFakeRegistry()
    const lock = lockVersions(registry, [GREETINGS, WORDS])
    const evil = buildPackage({ ...GREETINGS, files: { 'index.js': 'evil()\n' } })
    registry.answer('greetings/-/greetings-1.0.0.tgz', (response) => response.end(evil))
    const ran = await install(registry, lock)
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain(`its integrity is ${computeIntegrity(evil)}, expected sha512-`)
    expect(ran.installed).toEqual([])
  })

  it('that never ends its answer is cut off at the limit', async () => {
    const registry = await openFakeRegistry()
    const lock = lockVersions(registry, [GREETINGS])
    registry.answer('greetings/-/greetings-1.0.0.tgz', (response) => {
      const chunk = Buffer.alloc(1024 ** 2)
      const write = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', write)
      }
      write()
    })
    const ran = await install(registry, lock)
    expect(ran.stderr).toContain(`its answer has more than ${64 * 1024 ** 2} bytes`)
    expect(ran.installed).toEqual([])
  })

  it('that redirects to another one gets no credentials there, and is refused', async () => {
    const [registry, other] = [await openFakeRegistry(), await openFakeRegistry()]
    const lock = lockVersions(registry, [GREETINGS])
    other.add(GREETINGS)
    const npmrc = join(createFolder(), 'npmrc')
    writeFileSync(npmrc, `//${new URL(registry.url).host}/:_authToken=\${TOKEN}\n`)
    const env = { npm_config_userconfig: npmrc, TOKEN: 'top-secret' }
    const good = await install(registry, lock, env)
    expect(good.code).toBe(0)
    expect(registry.requests[0]?.authorization).toBe('Bearer top-secret')
    registry.answer('greetings/-/greetings-1.0.0.tgz', (response) => {
      response.writeHead(302, { location: `${other.url}greetings/-/greetings-1.0.0.tgz` }).end()
    })
    const ran = await install(registry, lock, env)
    expect(ran.stderr).toContain(`it redirects to another one, ${other.url.slice(0, -1)}`)
    expect(other.requests).toEqual([])
  })
})

describe('a hostile lock file', () => {
  const change = async (entry: (other: FakeRegistry) => Partial<LockedVersion['entry']>) => {
    const [registry, other] = [await openFakeRegistry(), await openFakeRegistry()]
    const evil = other.add({ name: 'evil' })
    registry.add({ name: 'evil' })
    const lock = lockVersions(registry, [{ ...GREETINGS, entry: { integrity: evil.integrity, ...entry(other) } }])
    const ran = await install(registry, lock)
    expect(ran.installed).toEqual([])
    expect([...registry.requests, ...other.requests]).toEqual([])
    return ran
  }

  it('that names another registry is refused before any request', async () => {
    const ran = await change((other) => ({ resolved: `${other.url}greetings/-/greetings-1.0.0.tgz` }))
    expect(ran.stderr).toContain('it is not at the registry of this package')
  })

  it('that names the archive of another package is refused before any request', async () => {
    const ran = await change(() => ({ resolved: 'https://registry.npmjs.org/evil/-/evil-1.0.0.tgz' }))
    expect(ran.stderr).toContain('it is the archive of another package or version')
  })

  it.each([
    ['../../outside', {}, 'is not a folder below node_modules'],
    ['node_modules/../../outside', {}, 'is not a folder below node_modules'],
    ['node_modules/a/node_modules/__proto__', {}, 'is not a folder below node_modules'],
    ['node_modules/a', { link: true, resolved: '../a' }, 'is a link to a folder'],
    ['node_modules/a', { integrity: undefined }, 'has no integrity with SHA-512'],
    ['node_modules/a', { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, 'has no integrity'],
    ['node_modules/a', { version: '^1.0.0' }, 'has no exact version'],
    ['node_modules/a', { resolved: 'git+ssh://git@example.com/a.git' }, 'is not from a registry'],
    ['node_modules/a', { resolved: 'file:../a.tgz' }, 'is not from a registry'],
    ['node_modules/a', { inBundle: true }, 'is bundled into another package'],
    ['node_modules/a', { os: ['plan9'] }, 'is not for linux'],
  ])('with the entry %s %j is refused', async (path, entry, says) => {
    const registry = await openFakeRegistry()
    const lock = lockVersions(registry, [GREETINGS, WORDS, { name: 'a', path, entry }])
    const ran = await install(registry, lock)
    expect(ran.code).toBe(3)
    expect(ran.stderr).toContain(says)
    expect(ran.installed).toEqual([])
    expect(registry.requests).toEqual([])
  })

  it('with an optional package for other machines installs the others', async () => {
    const registry = await openFakeRegistry()
    const far = { name: 'far', entry: { optional: true, os: ['plan9'] } }
    const ran = await install(registry, lockVersions(registry, [GREETINGS, WORDS, far]))
    expect(ran.json()).toMatchObject({
      locks: [{ packages: [{ name: 'greetings' }, { name: '@demo/words' }] }],
    })
  })
})

describe('the script of a package', () => {
  const SCRIPT = 'node -e "require(\'fs\').writeFileSync(process.env.MARK, String(1))"'

  it('is never executed and is reported, though npm executes it', async () => {
    const registry = await openFakeRegistry()
    const manifest = { scripts: { postinstall: SCRIPT } }
    const lock = lockVersions(registry, [{ name: 'greetings', manifest, entry: { hasInstallScript: true } }])
    const folder = createFolder()
    const MARK = join(folder, 'mark')
    const ran = await install(registry, lock, { MARK })
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('greetings@1.0.0 has a script "postinstall", which is never executed')
    expect(existsSync(MARK)).toBe(false)
    // The control: npm installs the same package, and executes it.
    const project = join(folder, 'project')
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{"name":"demo"}')
    const file = join(folder, 'greetings.tgz')
    writeFileSync(file, buildPackage({ name: 'greetings', manifest }))
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--offline', file], {
      cwd: project,
      env: { PATH: process.env['PATH'], HOME: folder, MARK, npm_config_cache: join(folder, 'cache') },
      stdio: 'ignore',
    })
    expect(existsSync(MARK)).toBe(true)
  }, 120_000)
})
