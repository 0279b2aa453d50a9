// @module-tag slow
// @module-tag nightly
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, runSkills } from '../helpers/skills.ts'
import {
  openFakeRegistry,
  type FakeRegistry,
  type FakeVersion,
} from '../core/skills/dependencies/npm/fake-registry.ts'
import { createWheel } from '../core/skills/dependencies/wheels.ts'

const NODE = `# of the author
name = "demo.node"
version = "0.1.0"
description = "Says hello."
kind = "action" # it runs

[runtime]
language = "node"
entrypoint = "code/main.js"
`
const PYTHON = NODE.replace('"node"', '"python"').replace('main.js', 'main.py')

function createSkill(files: Readonly<Record<string, string>> = {}): string {
  return createFolder({
    'skill.toml': NODE,
    'SKILL.md': '# Hello\n',
    'code/main.js': "import a from 'a'\nexport const main = () => a\n",
    ...files,
  })
}

async function openRegistry(versions: readonly FakeVersion[]): Promise<FakeRegistry> {
  const registry = await openFakeRegistry()
  for (const each of versions) registry.add(each)
  return registry
}

async function run(registry: FakeRegistry, ...argv: string[]) {
  return await runSkills(['deps', ...argv], {
    env: { HOME: createFolder(), npm_config_registry: registry.url },
  })
}

const readJson = (dir: string, file: string) =>
  JSON.parse(readFileSync(join(dir, file), 'utf8')) as Record<string, Record<string, unknown>>

function listLocked(dir: string): Record<string, unknown> {
  const { packages = {} } = readJson(dir, 'package-lock.json')
  return Object.fromEntries(
    Object.entries(packages).flatMap(([path, entry]) =>
      path === ''
        ? []
        : [[path.replaceAll('node_modules/', ''), (entry as { version: string }).version]],
    ),
  )
}

const needs = (
  name: string,
  version: string,
  dependencies: Record<string, string> = {},
): FakeVersion => ({
  name,
  version,
  manifest: { dependencies },
})

describe('skills deps add', () => {
  it('declares and locks packages, keeps comments, and the result can be installed', async () => {
    const registry = await openRegistry([
      needs('a', '1.0.0'),
      needs('a', '1.2.0', { b: '~1.0.0' }),
      needs('b', '1.0.1'),
      needs('b', '1.1.0'),
    ])
    const dir = createSkill()
    const ran = await run(registry, 'add', dir, 'a', 'b@^1.0.0')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain(
      'package-lock.json: written, 3 packages\n  + a 1.2.0\n  + b 1.0.1\n  + b 1.1.0\ndemo.node: installed for Node\n',
    )
    expect(readFileSync(join(dir, 'skill.toml'), 'utf8')).toBe(
      `${NODE}\n[dependencies]\nnode = "package-lock.json"\n`,
    )
    expect(readJson(dir, 'package.json')).toEqual({
      private: true,
      type: 'module',
      dependencies: { a: '^1.2.0', b: '^1.0.0' },
    })
    expect(listLocked(dir)).toEqual({ a: '1.2.0', 'a/b': '1.0.1', b: '1.1.0' })
    expect((await run(registry, 'install', dir)).code).toBe(0)
    const again = await run(registry, 'lock', dir, '--json')
    expect(again.json()).toMatchObject({
      schema: 'skills.dependency-locks/v1',
      locks: [{ language: 'node', changed: false, added: [], removed: [] }],
    })
  })

  it('takes aliases, tags and scopes, peers and optional packages', async () => {
    const registry = await openRegistry([
      {
        name: '@s/p',
        version: '2.0.0',
        manifest: {
          peerDependencies: { host: '^3.0.0' },
          optionalDependencies: { gone: '1.0.0', far: '1.0.0' },
        },
      },
      { name: 'far', manifest: { os: ['plan9'] } },
      needs('host', '3.1.0'),
      needs('host', '4.0.0-beta.1'),
    ])
    registry.setTag('host', 'latest', '3.1.0')
    registry.setTag('host', 'next', '4.0.0-beta.1')
    const dir = createSkill()
    expect((await run(registry, 'add', dir, 'other@npm:@s/p@2')).stderr).toBe('')
    const { packages = {} } = readJson(dir, 'package-lock.json')
    expect(packages['node_modules/other']).toMatchObject({ name: '@s/p', version: '2.0.0' })
    expect(packages['node_modules/far']).toMatchObject({ optional: true, os: ['plan9'] })
    expect(listLocked(dir)).toEqual({ other: '2.0.0', far: '1.0.0', host: '3.1.0' })
    expect((await run(registry, 'add', createSkill(), 'host@next')).stdout).toContain(
      '4.0.0-beta.1',
    )
  })

  it.each([
    ['a@^9.0.0', 'the registry has no such package or version'],
    ['nothing', 'the registry has no such package or version'],
    ['../folder', 'it is not the name of a package'],
    ['runtime', 'it is not the name of a package'],
    ['a@git+https://example.com/a.git', 'which is not in a registry'],
    ['a@file:../a', 'which is not in a registry'],
    ['conflict', '"conflict@1.0.0" needs "a@^2.0.0" beside it, and 1.0.0 is there'],
    ['remote', '"b" is declared as "https://example.com/b.tgz", which is not in a registry'],
    ['bundled', '"bundled@1.0.0" bundles other packages'],
  ])('refuses %s, and leaves the skill as it was', async (spec, says) => {
    const registry = await openRegistry([
      needs('a', '1.0.0'),
      {
        name: 'conflict',
        manifest: { dependencies: { a: '^1.0.0', c: '1.0.0' }, peerDependencies: {} },
      },
      { name: 'c', manifest: { peerDependencies: { a: '^2.0.0' } } },
      needs('remote', '1.0.0', { b: 'https://example.com/b.tgz' }),
      { name: 'bundled', manifest: { bundleDependencies: ['x'] } },
    ])
    const dir = createSkill()
    const ran = await run(registry, 'add', dir, spec)
    expect(ran.code).toBeGreaterThan(1)
    expect(ran.stderr).toContain(
      spec === 'conflict' ? 'needs "a@^2.0.0" beside it, and 1.0.0 is there' : says,
    )
    expect(readFileSync(join(dir, 'skill.toml'), 'utf8')).toBe(NODE)
    expect(existsSync(join(dir, 'package.json'))).toBe(false)
  })

  it('refuses an archive in another registry, and an answer about another package', async () => {
    const [registry, other] = [await openRegistry([]), await openRegistry([])]
    const evil = other.add({ name: 'a' })
    const dist = { tarball: evil.resolved, integrity: evil.integrity }
    const versions = { '1.0.0': { version: '1.0.0', dist } }
    const answer = (name: string) =>
      JSON.stringify({ name, 'dist-tags': { latest: '1.0.0' }, versions })
    registry.answer('a', (response) => response.end(answer('a')))
    registry.answer('b', (response) => response.end(answer('a')))
    const ran = await run(registry, 'add', createSkill(), 'a')
    expect(ran.stderr).toContain('it is not at the registry of this package')
    expect((await run(registry, 'add', createSkill(), 'b')).stderr).toContain(
      'the registry answers with "a"',
    )
    expect(other.requests).toEqual([])
  })

  it('asks the registry of a scope for its packages, and sends its token nowhere else', async () => {
    const [registry, own] = [
      await openRegistry([needs('a', '1.0.0')]),
      await openRegistry([needs('@mine/x', '1.0.0')]),
    ]
    registry.add({ name: '@mine/x', version: '99.0.0' })
    const HOME = createFolder({
      '.npmrc': `registry=${registry.url}\n@mine:registry=${own.url}\n//${new URL(own.url).host}/:_authToken=secret\n`,
    })
    // A file of the skill or of the folder is not read.
    const dir = createSkill({ '.npmrc': `@mine:registry=${registry.url}\n` })
    const ran = await runSkills(['deps', 'add', dir, '@mine/x', 'a'], { env: { HOME }, cwd: dir })
    expect(ran.stderr).toBe('')
    expect(listLocked(dir)).toEqual({ '@mine/x': '1.0.0', a: '1.0.0' })
    expect(registry.requests.map(({ line }) => line).join()).not.toContain('mine')
    expect(own.requests.every(({ authorization }) => authorization === 'Bearer secret')).toBe(true)
    expect(registry.requests.every(({ authorization }) => authorization === undefined)).toBe(true)
  })

  it('refuses a registry without encryption on another machine', async () => {
    const env = { HOME: createFolder(), npm_config_registry: 'http://example.com/' }
    const ran = await runSkills(['deps', 'add', createSkill(), 'a'], { env })
    expect(ran).toMatchObject({ code: 2 })
    expect(ran.stderr).toContain('The npm registry "http://example.com/" cannot be used')
  })

  it('writes through no link out of the skill', async () => {
    const registry = await openRegistry([needs('a', '1.0.0')])
    const outside = createFolder({ 'target.json': '{}\n' })
    const dir = createSkill()
    symlinkSync(join(outside, 'target.json'), join(dir, 'package-lock.json'))
    const ran = await run(registry, 'add', dir, 'a')
    expect(ran.stderr).toContain('Cannot write "package-lock.json" of the skill: it is a link')
    expect(readFileSync(join(outside, 'target.json'), 'utf8')).toBe('{}\n')
  })
})

describe('skills deps update', () => {
  it('raises the named packages only, while lock keeps all that fit', async () => {
    const registry = await openRegistry([needs('a', '1.0.0'), needs('b', '1.0.0')])
    const dir = createSkill()
    await run(registry, 'add', dir, 'a', 'b')
    for (const name of ['a', 'b']) registry.add(needs(name, '1.1.0'))
    expect((await run(registry, 'lock', dir)).stdout).toBe(
      'package-lock.json: unchanged, 2 packages\n',
    )
    await run(registry, 'update', dir, 'a')
    expect(listLocked(dir)).toEqual({ a: '1.1.0', b: '1.0.0' })
    await run(registry, 'update', dir)
    expect(listLocked(dir)).toEqual({ a: '1.1.0', b: '1.1.0' })
  })
})

describe('skills deps of Python', () => {
  it('adds, locks and updates wheels of a folder, with what they require', async () => {
    const registry = await openRegistry([])
    const wheels = createFolder()
    const info = (requires: string) => ({
      'one-1.0.dist-info/METADATA': `Metadata-Version: 2.1\nName: one\nVersion: 1.0\n${requires}`,
    })
    createWheel(wheels, { name: 'two', files: { 'two.py': '' } })
    createWheel(wheels, { name: 'one', files: { 'one.py': '', ...info('') } })
    const dir = createFolder({
      'skill.toml': PYTHON,
      'SKILL.md': '# Hello\n',
      'code/main.py': 'def main(args):\n    return 1\n',
    })
    const ran = await run(registry, 'add', dir, 'two>=1', '--from', wheels)
    expect(ran).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining(
        'requirements.lock: written, 1 package\n  + two 1.0\ndemo.node: installed for Python',
      ),
    })
    expect(readFileSync(join(dir, 'requirements.in'), 'utf8')).toBe('two>=1\n')
    expect(readFileSync(join(dir, 'skill.toml'), 'utf8')).toContain('python = "requirements.lock"')
    expect((await run(registry, 'install', dir, '--from', wheels)).code).toBe(0)
    createWheel(wheels, { name: 'two', version: '1.5', files: { 'two.py': '' } })
    expect((await run(registry, 'lock', dir, '--from', wheels)).stdout).toContain('unchanged')
    expect((await run(registry, 'update', dir, '--from', wheels)).stdout).toContain('+ two 1.5')
  }, 120_000)

  it.each([
    '--index-url https://example.com',
    'x --hash=sha256:0',
    './x.whl',
    'x @ file:///x',
    'git+https://example.com/x',
  ])('refuses the requirement %j before a process starts', async (line) => {
    const registry = await openRegistry([])
    const dir = createFolder({ 'skill.toml': PYTHON, 'SKILL.md': '# x\n', 'code/main.py': '' })
    writeFileSync(join(dir, 'requirements.in'), `${line}\n`)
    const ran = await run(registry, 'lock', dir)
    expect(ran.stderr).toContain('is not a package with a range')
    expect(existsSync(join(dir, 'requirements.lock'))).toBe(false)
  })
})

describe('skills deps audit', () => {
  const ADVISORY = {
    id: 1,
    title: 'Bad',
    severity: 'high',
    vulnerable_versions: '<1.1.0',
    url: 'https://example.com/1',
  }

  async function prepare(body: string, status = 200) {
    const registry = await openRegistry([needs('a', '1.0.0')])
    registry.answer('-/npm/v1/security/advisories/bulk', (response) =>
      response.writeHead(status).end(body),
    )
    const dir = createSkill()
    await run(registry, 'add', dir, 'a')
    return { registry, dir }
  }

  it('fails at the level or above, and sends names and versions only', async () => {
    const { registry, dir } = await prepare(JSON.stringify({ a: [ADVISORY] }))
    const ran = await run(registry, 'audit', dir, '--json')
    expect(ran.code).toBe(1)
    expect(ran.json()).toMatchObject({
      schema: 'skills.dependency-audit/v1',
      asked: 1,
      counted: 1,
      advisories: [{ package: 'a', version: '1.0.0', severity: 'high', id: '1' }],
    })
    expect(registry.requests.at(-1)).toMatchObject({ body: '{"a":["1.0.0"]}' })
    expect((await run(registry, 'audit', dir, '--level', 'critical')).code).toBe(0)
  })

  it('passes if no advisory is about the locked version', async () => {
    const other = { ...ADVISORY, vulnerable_versions: '<0.9.0' }
    const { registry, dir } = await prepare(JSON.stringify({ a: [other], __proto__: [ADVISORY] }))
    expect(await run(registry, 'audit', dir)).toMatchObject({
      code: 0,
      stdout: '1 asked, 0 at level low or above\n',
    })
  })

  it('fails if the registry has no advisories, or cannot be reached', async () => {
    const { registry, dir } = await prepare('{}', 404)
    const ran = await run(registry, 'audit', dir)
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('Not asked: a 1.0.0')
    const env = { HOME: createFolder(), npm_config_registry: 'http://127.0.0.1:9/' }
    const offline = await runSkills(['deps', 'audit', dir], { env })
    expect(offline.code).toBe(3)
    expect(offline.stderr).toContain('The registry "127.0.0.1:9" is not usable')
  })

  it('fails if the index of Python redirects to another server, which is not asked', async () => {
    const [index, other] = [await openRegistry([]), await openRegistry([])]
    const dir = createFolder({
      'skill.toml': `${PYTHON}\n[dependencies]\npython = "requirements.lock"\n`,
      'code/main.py': '',
      'requirements.lock': `one==1.0 --hash=sha256:${'0'.repeat(64)}\n`,
    })
    const env = { HOME: createFolder(), PIP_INDEX_URL: `${index.url}simple` }
    let location = `${other.url}pypi/one/1.0/json`
    index.answer('pypi/one/1.0/json', (response) => response.writeHead(302, { location }).end())
    index.answer('moved', (response) => response.end('{"vulnerabilities":[]}'))
    const ran = await runSkills(['deps', 'audit', dir], { env })
    expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining('redirects to another one')])
    expect(other.requests).toEqual([])
    // The control: a redirect to an address of its own is followed.
    location = '/moved'
    expect((await runSkills(['deps', 'audit', dir], { env })).code).toBe(0)
  })

  it('asks the index of Python for each version', async () => {
    const registry = await openRegistry([])
    const lock = `one==1.0 --hash=sha256:${'0'.repeat(64)}\ntwo==2.0 --hash=sha256:${'0'.repeat(64)}\n`
    const dir = createFolder({
      'skill.toml': `${PYTHON}\n[dependencies]\npython = "requirements.lock"\n`,
      'code/main.py': '',
      'requirements.lock': lock,
    })
    const vulnerabilities = [
      {
        id: 'PYSEC-1',
        summary: 'Bad',
        fixed_in: ['1.1'],
        link: 'https://example.com',
        withdrawn: null,
      },
      { id: 'PYSEC-2', summary: 'Withdrawn', withdrawn: '2020-01-01T00:00:00Z' },
    ]
    registry.answer('pypi/one/1.0/json', (response) =>
      response.end(JSON.stringify({ vulnerabilities })),
    )
    const env = { HOME: createFolder(), PIP_INDEX_URL: `${registry.url}simple` }
    const ran = await runSkills(['deps', 'audit', dir, '--json'], { env })
    expect(ran.code).toBe(1)
    expect(ran.json()).toMatchObject({
      asked: 1,
      advisories: [{ id: 'PYSEC-1', severity: null, fixed: '1.1' }],
      unasked: [{ package: 'two' }],
    })
  })
})
