// @module-tag slow
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills } from '../../../../helpers/skills.ts'
import { openFakeRegistry, type FakeRegistry } from './fake-registry.ts'
import { createNodeSkill, GREETINGS, lockVersions, WORDS } from './node-skills.ts'

const CACHE = '.cache/skills/dependencies'
const TOKEN = 'top-secret'
const ARCHIVE = 'greetings/-/greetings-1.0.0.tgz'

type Variables = Record<string, string>

/** A registry in the user's own .npmrc, with a token. */
async function prepare(npmrc?: (registry: FakeRegistry) => string) {
  const registry = await openFakeRegistry()
  const lock = lockVersions(registry, [GREETINGS, WORDS])
  const { host } = new URL(registry.url)
  const text = npmrc?.(registry) ?? `registry=${registry.url}\n//${host}/:_authToken=${TOKEN}\n`
  const home = createFolder({ '.npmrc': text })
  const dir = createNodeSkill(registry, {
    'package-lock.json': lock,
    'package.json': '{"dependencies":{"greetings":"^1.0.0"}}',
  })
  const run = async (verb: string, env: Variables = {}) => {
    const ran = await runSkills(['deps', verb, dir], { env: { HOME: home, ...env }, cwd: dir })
    const folder = join(home, CACHE)
    return { ...ran, installed: existsSync(folder) ? readdirSync(folder) : [] }
  }
  return { registry, dir, home, run }
}

const redirect = (registry: FakeRegistry, path: string, location: string) =>
  registry.answer(path, (response) => void response.writeHead(302, { location }).end())

describe('a registry that redirects a request with a token', () => {
  const QUESTIONS = [
    ['lock', 'greetings'],
    ['install', ARCHIVE],
    ['audit', '-/npm/v1/security/advisories/bulk'],
  ] as const

  it.each(QUESTIONS)('to another host is refused by %s, and the host is not asked', async (verb, path) => {
    const { registry, run } = await prepare()
    const other = await openFakeRegistry()
    other.add(GREETINGS)
    redirect(registry, path, other.url + path)
    const ran = await run(verb)
    expect(ran.code).toBe(3)
    expect(ran.stderr).toMatch(/it redirects to another one|it answered with 302/)
    expect(other.requests).toEqual([])
    expect(registry.requests.find(({ line }) => line.endsWith(path))?.authorization).toBe(
      `Bearer ${TOKEN}`,
    )
    expect(ran.installed).toEqual([])
  })

  it.each([
    'https://169.254.169.254/latest/meta-data',
    'http://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/greetings',
    'https://[fd00:ec2::254]/greetings',
    'file:///etc/passwd',
  ])('to %s is refused', async (location) => {
    const { registry, run } = await prepare()
    for (const [verb, path] of QUESTIONS) {
      redirect(registry, path, location)
      const ran = await run(verb)
      expect([verb, ran.code]).toEqual([verb, 3])
      expect(ran.stderr).toMatch(/it redirects to another one|it answered with 302/)
      expect(ran.installed).toEqual([])
    }
  })

  it('to another path of its own is followed, the control', async () => {
    const { registry, run } = await prepare()
    const { archive } = registry.add(GREETINGS)
    redirect(registry, ARCHIVE, '/moved.tgz')
    registry.answer('moved.tgz', (response) => response.end(archive))
    const ran = await run('install')
    expect(ran).toMatchObject({ code: 0, installed: [expect.any(String)] })
  })
})

describe('a lock entry', () => {
  it.each([
    ['another host', (url: string) => url.replace('127.0.0.1', '127.0.0.2')],
    ['another port', (url: string) => url.replace(/:\d+\//, ':9/')],
    ['the registry as a user name', (url: string) => url.replace('://127', '://x@127')],
    ['the registry before an @', (url: string) => url.replace(/(:\d+)\//, '$1@127.0.0.2/')],
    ['a metadata address', () => `https://169.254.169.254/${ARCHIVE}`],
    ['a lookalike', () => `https://registry.npmjs.org.evil.example/${ARCHIVE}`],
    ['a path that leads out', () => `https://registry.npmjs.org/../other/-/other-1.0.0.tgz`],
  ])('with %s is refused before any request', async (_, change) => {
    const { registry, dir, run } = await prepare()
    const resolved = change(registry.url + ARCHIVE)
    writeFileSync(
      join(dir, 'package-lock.json'),
      lockVersions(registry, [{ ...GREETINGS, entry: { resolved } }, WORDS]),
    )
    const ran = await run('install')
    expect(ran.code).toBeGreaterThan(1)
    expect(ran.stderr).toContain('The lock file names')
    expect([ran.installed, registry.requests]).toEqual([[], []])
  })
})

describe('an .npmrc', () => {
  const choose = ({ url }: FakeRegistry) =>
    `registry=${url}\n//${new URL(url).host}/:_authToken=\${AWS_SECRET_ACCESS_KEY}\n`

  it('in the folder of a skill chooses no registry, and sends no variable to it', async () => {
    const { registry, dir, home, run } = await prepare()
    const evil = await openFakeRegistry()
    for (const item of [GREETINGS, WORDS]) evil.add(item)
    const text = choose(evil)
    for (const folder of [dir, join(dir, 'code')]) writeFileSync(join(folder, '.npmrc'), text)
    const env = { AWS_SECRET_ACCESS_KEY: 'key' }
    for (const verb of ['lock', 'install', 'audit']) await run(verb, env)
    expect(evil.requests).toEqual([])
    expect(registry.requests.length).toBeGreaterThan(2)
    // The control: the same file as the user's own.
    writeFileSync(join(home, '.npmrc'), text)
    await run('lock', env)
    expect(evil.requests[0]?.authorization).toBe('Bearer key')
  })

  it('with a variable that is not set is refused before any request', async () => {
    const { registry, run } = await prepare(choose)
    for (const verb of ['lock', 'install', 'audit']) {
      const ran = await run(verb)
      expect([verb, ran.code]).toEqual([verb, 2])
      expect(ran.stderr).toContain('needs the variable AWS_SECRET_ACCESS_KEY, which is not set')
    }
    expect(registry.requests).toEqual([])
  })

  it('that is too large, or cannot be read, is refused before any request', async () => {
    const { registry, home, run } = await prepare()
    const file = join(home, 'settings')
    const env = { npm_config_userconfig: file, npm_config_registry: registry.url }
    writeFileSync(file, `${'#'.repeat(1024 ** 2)}\n`)
    const large = await run('install', env)
    expect([large.code, large.stderr]).toEqual([2, expect.stringContaining('more than 1048576')])
    mkdirSync(join(home, 'folder'))
    const unreadable = await run('install', { ...env, npm_config_userconfig: join(home, 'folder') })
    expect([unreadable.code, unreadable.stderr]).toEqual([2, expect.stringContaining('(EISDIR)')])
    expect(registry.requests).toEqual([])
  })

  it('has logins with a password too, and a refused one is reported with its setting', async () => {
    const { registry, run, home } = await prepare(({ url }) => {
      const key = `//${new URL(url).host}/`
      return `registry=${url}\n${key}:username=user\n${key}:_password=${btoa('pass')}\n`
    })
    expect((await run('install')).code).toBe(0)
    expect(registry.requests[0]?.authorization).toBe(`Basic ${btoa('user:pass')}`)
    registry.answer('greetings', (response) => void response.writeHead(401).end())
    writeFileSync(join(home, '.npmrc'), `registry=${registry.url}\n`)
    const denied = await run('lock')
    expect(denied.code).toBe(3)
    expect(denied.stderr).toContain(`Add //${new URL(registry.url).host}/:_authToken=`)
  })
})

describe('the answer of a registry', () => {
  it('leaves no optional package out because the registry fails', async () => {
    const { registry, dir, run } = await prepare()
    registry.add({ name: 'outer', manifest: { optionalDependencies: { extra: '^1.0.0' } } })
    writeFileSync(join(dir, 'package.json'), '{"dependencies":{"outer":"^1.0.0"}}')
    registry.answer('extra', (response) => void response.writeHead(503).end())
    const failed = await run('lock')
    expect([failed.code, failed.stderr]).toEqual([3, expect.stringContaining('answered with 503')])
    // The control: a package that does not exist may be left out.
    registry.answer('extra', (response) => void response.writeHead(404).end())
    expect((await run('lock')).code).toBe(0)
  })
})
