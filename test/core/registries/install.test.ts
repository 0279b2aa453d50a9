// @module-tag slow
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildPackage } from '../../../src/core/registries/npm/build-package.ts'
import { publishPackage } from '../../../src/core/registries/npm/publish-package.ts'
import { pushSkill } from '../../../src/core/registries/oci/push-skill.ts'
import { createFolder, runSkills, type CliResult } from '../../helpers/skills.ts'
import { createNpmClient, startNpmRegistry, TOKEN } from './npm-registry.ts'
import { createArtifact, createClient, createFiles, REPOSITORY } from './oci-fixtures.ts'
import { startOciRegistry } from './oci-registry.ts'

interface Project {
  cwd: string
  home: string
  run(...argv: string[]): Promise<CliResult>
  readLock(): { skills: { source: string; resolved: string }[] }
}

function createProject(env: Record<string, string> = {}): Project {
  const cwd = createFolder({ 'skills.config.toml': '' })
  const home = createFolder()
  return {
    cwd,
    home,
    run: async (...argv) => await runSkills(argv, { cwd, env: { HOME: home, ...env } }),
    readLock: () => JSON.parse(readFileSync(join(cwd, 'skills.lock'), 'utf8')) as never,
  }
}

async function publishPackages(...versions: readonly string[]): Promise<URL> {
  const { url } = await startNpmRegistry({ token: TOKEN })
  for (const version of versions) {
    const files = createFiles(version)
    const built = await buildPackage({
      packageName: '@team/greet',
      folder: 'greet',
      version,
      description: 'Greets',
      files,
    })
    await publishPackage(createNpmClient(url), built, 'latest')
  }
  return url
}

describe('skills install', () => {
  it('installs from an OCI registry, and restores the same files after the tag moved', async () => {
    const registry = await startOciRegistry()
    const artifact = await createArtifact()
    await pushSkill(createClient(registry.host), { artifact, tag: 'stable' })
    const { run, cwd, readLock } = createProject()
    const source = `oci:${registry.host}/${REPOSITORY}:stable`
    expect(await run('install', source, '--yes')).toMatchObject({ code: 0 })
    const installed = join(cwd, '.agents/skills/greet/SKILL.md')
    expect(readFileSync(installed).equals(createFiles()[0]!.bytes)).toBe(true)
    const [locked] = readLock().skills
    expect(locked).toMatchObject({
      source,
      resolved: `oci:${registry.host}/${REPOSITORY}@${artifact.digest}`,
    })
    registry.manifests.delete('stable')
    const other = await createArtifact('2.0.0', 'Other.')
    await pushSkill(createClient(registry.host), { artifact: other, tag: 'stable' })
    writeFileSync(installed, 'changed')
    expect(await run('install', '--yes')).toMatchObject({ code: 0 })
    expect(readFileSync(installed).equals(createFiles()[0]!.bytes)).toBe(true)
  })

  it('refuses an old version under the tag of a new one', async () => {
    const registry = await startOciRegistry()
    const client = createClient(registry.host)
    await pushSkill(client, { artifact: await createArtifact('1.0.0'), tag: '1.0.0' })
    registry.manifests.set('1.1.0', registry.manifests.get('1.0.0')!)
    const { run, cwd } = createProject()
    const old = await run('install', `oci:${registry.host}/${REPOSITORY}:1.1.0`, '--yes')
    expect([old.code, old.stderr]).toEqual([3, expect.stringContaining('has version 1.0.0')])
    expect(existsSync(join(cwd, '.agents'))).toBe(false)
    // The control: the same artifact under its own tag.
    const own = await run('install', `oci:${registry.host}/${REPOSITORY}:1.0.0`, '--yes')
    expect(own.code).toBe(0)
  })

  it('installs a package of the registry in the user’s .npmrc, pinned by its version', async () => {
    const url = await publishPackages('1.0.0', '1.1.0')
    const { run, cwd, home, readLock } = createProject()
    writeFileSync(join(home, '.npmrc'), `@team:registry=${url.href}\n`)
    expect(await run('install', 'npm:@team/greet', '--yes')).toMatchObject({ code: 0 })
    expect(existsSync(join(cwd, '.agents/skills/greet/scripts/hello.sh'))).toBe(true)
    expect(readLock().skills[0]).toMatchObject({ resolved: 'npm:@team/greet@1.1.0#greet' })
    const older = await run('install', 'npm:@team/greet@1.0.0', '--yes')
    expect(older.code).not.toBe(0)
    expect(older.stderr).toContain('--allow-downgrade')
  })

  it('installs from the registry of npm_config_registry, as npm does', async () => {
    const url = await publishPackages('1.0.0')
    const { run, home } = createProject({ npm_config_registry: url.href })
    writeFileSync(join(home, '.npmrc'), 'registry=http://127.0.0.1:9/\n')
    expect(await run('install', 'npm:@team/greet', '--yes')).toMatchObject({ code: 0 })
  })

  it('never takes a registry from the .npmrc of a project', async () => {
    const [own, other] = [await publishPackages('1.0.0'), await publishPackages('9.0.0')]
    const { run, cwd, home, readLock } = createProject()
    writeFileSync(join(home, '.npmrc'), `registry=${own.href}\n`)
    writeFileSync(join(cwd, '.npmrc'), `registry=${other.href}\n`)
    expect(await run('install', 'npm:@team/greet', '--yes')).toMatchObject({ code: 0 })
    expect(readLock().skills[0]).toMatchObject({ resolved: 'npm:@team/greet@1.0.0#greet' })
  })

  it('sends SKILLS_REGISTRY_TOKEN to the registry of SKILLS_REGISTRY only', async () => {
    const [own, other] = [await startOciRegistry(), await startOciRegistry()]
    const challenge = { 'www-authenticate': 'Bearer realm="http://127.0.0.1/token"' }
    const registries = [own, other]
    for (const registry of registries) {
      const artifact = await createArtifact()
      await pushSkill(createClient(registry.host), { artifact, tag: '1.0.0' })
      registry.requests.length = 0
    }
    const guarded = await startOciRegistry({
      intercept: ({ headers }, response) => {
        if (headers.authorization === 'Bearer secret') return false
        response.writeHead(401, challenge).end()
        return true
      },
    })
    for (const [key, value] of own.manifests) guarded.manifests.set(key, value)
    for (const [key, value] of own.blobs) guarded.blobs.set(key, value)
    const env = { SKILLS_REGISTRY: guarded.host, SKILLS_REGISTRY_TOKEN: 'secret' }
    const { run } = createProject(env)
    const allowed = await run('install', `oci:${guarded.host}/${REPOSITORY}:1.0.0`, '--yes')
    expect(allowed.stderr + allowed.code).toMatch(/0$/)
    await run('install', `oci:${other.host}/${REPOSITORY}:1.0.0`, '--yes')
    expect(other.requests.length).toBeGreaterThan(0)
    expect(other.requests.filter(({ authorization }) => authorization !== undefined)).toEqual([])
    const unnamed = await createProject({ SKILLS_REGISTRY_TOKEN: 'secret' }).run(
      'install',
      `oci:${other.host}/${REPOSITORY}:1.0.0`,
    )
    expect([unnamed.code, unnamed.stderr]).toEqual([2, expect.stringContaining('SKILLS_REGISTRY')])
  })

  it('uses the login of docker for its registry', async () => {
    const registry = await startOciRegistry({
      intercept: ({ headers }, response) => {
        if (headers.authorization === `Basic ${btoa('user:pass')}`) return false
        response.writeHead(401, { 'www-authenticate': 'Basic realm="registry"' }).end()
        return true
      },
    })
    const login = { type: 'password', user: 'user', password: 'pass' } as const
    const artifact = await createArtifact()
    await pushSkill(createClient(registry.host, login), { artifact, tag: '1.0.0' })
    const { run, home } = createProject()
    const source = `oci:${registry.host}/${REPOSITORY}:1.0.0`
    const denied = await run('install', source, '--yes')
    expect([denied.code, denied.stderr]).toEqual([3, expect.stringContaining('docker login')])
    mkdirSync(join(home, '.docker'))
    const write = (config: object) =>
      writeFileSync(join(home, '.docker/config.json'), JSON.stringify(config))
    write({ auths: { [registry.host]: {} }, credsStore: 'desktop' })
    expect((await run('install', source, '--yes')).stderr).toContain('is not started')
    write({ auths: { [registry.host]: { auth: btoa('user:pass') } } })
    expect(await run('install', source, '--yes')).toMatchObject({ code: 0 })
  })
})
