// @module-tag slow
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readArchive } from '../../../src/core/packing/read/read-archive.ts'
import { buildPackage, type NpmPackage } from '../../../src/core/registries/npm/build-package.ts'
import {
  checkTag,
  deprecateVersion,
  publishPackage,
} from '../../../src/core/registries/npm/publish-package.ts'
import { pullPackage } from '../../../src/core/registries/npm/pull-package.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createNpmClient, startNpmRegistry, TOKEN, type FakeNpmRegistry } from './npm-registry.ts'
import { createFiles } from './oci-fixtures.ts'

const NAME = '@team/greet'

async function createPackage(version = '1.0.0', name = NAME): Promise<NpmPackage> {
  const files = createFiles(version)
  return await buildPackage({
    packageName: name,
    folder: 'greet',
    version,
    description: 'Greets',
    files,
    envelopes: Buffer.from('signed\n'),
  })
}

async function startWith(...versions: readonly string[]): Promise<FakeNpmRegistry> {
  const registry = await startNpmRegistry({ token: TOKEN })
  for (const version of versions) {
    await publishPackage(createNpmClient(registry.url), await createPackage(version), 'latest')
  }
  return registry
}

const request = (version?: string) => ({ name: NAME, version, skill: undefined })

/** Runs npm without the network, and with a configuration of its own. */
async function runNpm(cwd: string, registry: URL, argv: readonly string[]): Promise<string> {
  const home = createFolder()
  const config = join(home, '.npmrc')
  const key = `//${registry.host}/:_authToken`
  writeFileSync(config, `registry=${registry.href}\n${key}=${TOKEN}\n`)
  const { stdout } = await promisify(execFile)('npm', [...argv, '--ignore-scripts'], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      npm_config_userconfig: config,
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
    },
  })
  return stdout
}

function writeFiles(folder: string, files: readonly { path: string; bytes: Uint8Array }[]): void {
  for (const { path, bytes } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
}

describe('a package of a skill', () => {
  it('is the same bytes each time, and contains the skill, its signatures and package.json', async () => {
    const built = await createPackage()
    expect(Buffer.compare(built.bytes, (await createPackage()).bytes)).toBe(0)
    const paths = (await readArchive(built.bytes)).map(({ path }) => path)
    expect(paths).toEqual([
      'package/package.json',
      'package/skills/greet.intoto.jsonl',
      'package/skills/greet/SKILL.md',
      'package/skills/greet/scripts/hello.sh',
    ])
  })

  it('is published and read back by version and by tag', async () => {
    const { url } = await startWith('1.0.0', '1.1.0')
    const client = createNpmClient(url)
    const pulled = await pullPackage(client, request('1.0.0'))
    expect(pulled).toMatchObject({ version: '1.0.0', skill: 'greet' })
    expect(pulled.files).toEqual(createFiles('1.0.0'))
    expect(pulled.bundle?.toString()).toBe('signed\n')
    expect((await pullPackage(client, request())).version).toBe('1.1.0')
    await expect(pullPackage(client, request('2.0.0'))).rejects.toThrow('There is no')
    await expect(pullPackage(client, request('beta'))).rejects.toThrow('There is no')
  })

  it('never replaces a version', async () => {
    const registry = await startWith('1.0.0')
    const other = await buildPackage({
      packageName: NAME,
      folder: 'greet',
      version: '1.0.0',
      description: 'Greets',
      files: createFiles('1.0.0', 'Other.'),
    })
    const publish = publishPackage(createNpmClient(registry.url), other, 'latest')
    await expect(publish).rejects.toThrow(expect.objectContaining({ code: 'skill/exists' }))
  })

  it('needs a token to be published', async () => {
    const { url } = await startWith()
    const built = await createPackage()
    const wrong = createNpmClient(url, { type: 'token', token: 'other' })
    await expect(publishPackage(wrong, built, 'latest')).rejects.toThrow('denies the access')
    const none = createNpmClient(url, { type: 'unusable', reason: 'none' })
    await expect(publishPackage(none, built, 'latest')).rejects.toThrow('no token')
  })

  it('is deprecated instead of removed, and the tag moves to the version before', async () => {
    const registry = await startWith('1.0.0', '1.1.0')
    const client = createNpmClient(registry.url)
    const withdrawal = { name: NAME, version: '1.1.0', reason: 'broken' }
    expect(await deprecateVersion(client, withdrawal)).toBe('1.0.0')
    expect((await pullPackage(client, request())).version).toBe('1.0.0')
    expect((await pullPackage(client, request('1.1.0'))).version).toBe('1.1.0')
    await deprecateVersion(client, { name: NAME, version: '1.0.0', reason: 'broken, too' })
    await expect(pullPackage(client, request())).rejects.toThrow('is deprecated: broken, too')
  })

  it('gets no tag under which it would look newer than it is', async () => {
    const registry = await startWith('2.0.0')
    const published = await createNpmClient(registry.url).readPackument(NAME, 'full')
    const [old, early] = [await createPackage('1.9.0'), await createPackage('3.0.0-rc.1')]
    expect(() => checkTag(old, undefined, published)).toThrow('is older than 2.0.0')
    expect(() => checkTag(early, undefined, published)).toThrow('is a prerelease')
    expect(() => checkTag(early, '3.0.0', published)).toThrow('is not a tag')
    expect(checkTag(early, 'next', published)).toBe('next')
    expect(checkTag(await createPackage('2.0.1'), undefined, published)).toBe('latest')
  })
})

describe('npm', () => {
  it('installs what was published, with the same files', async () => {
    const registry = await startWith('1.0.0')
    const cwd = createFolder({ 'package.json': '{"name":"project","version":"1.0.0"}' })
    await runNpm(cwd, registry.url, ['install', `${NAME}@1.0.0`])
    const folder = join(cwd, 'node_modules', NAME, 'skills/greet')
    for (const { path, bytes } of createFiles('1.0.0')) {
      expect(readFileSync(join(folder, path)).equals(bytes)).toBe(true)
    }
    expect(existsSync(join(cwd, 'node_modules', NAME, 'skills/greet.intoto.jsonl'))).toBe(true)
  })

  it('publishes the folder of a package, from which the skill is read', async () => {
    const registry = await startWith()
    const cwd = createFolder()
    const unpacked = await readArchive((await createPackage()).bytes)
    writeFiles(
      cwd,
      unpacked.map((file) => ({ ...file, path: file.path.slice('package/'.length) })),
    )
    await runNpm(cwd, registry.url, ['publish', '--registry', registry.url.href])
    const pulled = await pullPackage(createNpmClient(registry.url), request('1.0.0'))
    expect(pulled.files.map(({ path }) => path)).toEqual(['SKILL.md', 'scripts/hello.sh'])
    expect(pulled.files[0]).toMatchObject({ bytes: createFiles()[0]?.bytes })
  })

  it('packs archives that the reader accepts', async () => {
    const cwd = createFolder({
      'package.json': '{"name":"tools","version":"1.0.0"}',
      'index.js': 'module.exports = 1',
      'skills/first/SKILL.md': '---\nname: first\ndescription: One\n---\n',
      [`skills/first/${'long/'.repeat(20)}name-that-needs-a-header.md`]: 'text',
    })
    await runNpm(cwd, new URL('http://localhost:1/'), ['pack'])
    const files = await readArchive(readFileSync(join(cwd, 'tools-1.0.0.tgz')))
    expect(files.map(({ path }) => path).sort()).toEqual([
      'package/index.js',
      'package/package.json',
      'package/skills/first/SKILL.md',
      `package/skills/first/${'long/'.repeat(20)}name-that-needs-a-header.md`,
    ])
  })
})
