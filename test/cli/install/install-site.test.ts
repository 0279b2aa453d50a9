// @module-tag slow
import { hash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeArchive } from '../../../src/core/packing/formats.ts'
import { createActionSkill } from '../../helpers/projects.ts'
import { createRemoteProject } from '../../helpers/remote-project.ts'
import { startStaticSite, type StaticSite } from '../../helpers/static-site.ts'

const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'

interface PublishedVersion {
  /** Version of the manifest. */
  version?: string
  /** Version in the index. */
  listed?: string
  extra?: string
}

/** Replaces what a site offers; returns the path and the digest of the archive. */
async function publish(
  site: StaticSite,
  { version = '0.1.0', listed = version, extra = '' }: PublishedVersion = {},
): Promise<{ path: string; digest: string }> {
  const tree = { ...createActionSkill('demo.greet', { version }), 'extra.txt': extra }
  const files = Object.entries(tree).map(([path, text]) => ({
    path,
    isExecutable: false,
    bytes: Buffer.from(text),
  }))
  const bytes = await writeArchive('tar.gz', files, { folder: '' })
  const digest = `sha256:${hash('sha256', bytes)}`
  const path = `/skills/greet/${listed}/${digest.slice(7, 15)}.tar.gz`
  site.files.set(path, bytes)
  const entry = {
    name: 'greet',
    skill: 'demo.greet',
    type: 'archive',
    description: 'x',
    url: path,
    digest,
  }
  const index = { $schema: SCHEMA, skills: [{ ...entry, version: listed }] }
  site.files.set('/.well-known/agent-skills/index.json', JSON.stringify(index))
  return { path, digest }
}

async function createInstalled() {
  const site = await startStaticSite()
  const first = await publish(site)
  const project = createRemoteProject()
  const source = `${site.origin}#greet`
  expect(await project.run('install', source, '--yes')).toMatchObject({ code: 0 })
  return { site, project, source, first }
}

describe('skills install from a site', () => {
  it.each(['greet', 'demo.greet'])('finds a skill by the name %s', async (name) => {
    const site = await startStaticSite()
    await publish(site)
    const project = createRemoteProject()
    const source = `${site.origin}#${name}`
    expect(await project.run('install', source, '--yes')).toMatchObject({ code: 0 })
    expect(project.readLock().skills).toMatchObject([{ name: 'demo.greet', source }])
    expect(await project.run('update', 'greet')).toMatchObject({ code: 0 })
  })

  it('locks the archive, and restores it after the site has another version', async () => {
    const { site, project, source, first } = await createInstalled()
    expect(project.readLock().skills).toMatchObject([
      { source, resolved: `${site.origin}${first.path}#${first.digest.replace(':', '=')}` },
    ])
    await publish(site, { version: '0.2.0' })
    rmSync(project.skills, { recursive: true })
    expect(await project.run('install', '--frozen')).toMatchObject({ code: 0 })
    const toml = readFileSync(join(project.skills, 'greet/skill.toml'), 'utf8')
    expect(toml).toContain('0.1.0')
    expect(await project.run('update', '--yes')).toMatchObject({ code: 0 })
    expect(project.readLock().skills).toMatchObject([{ version: '0.2.0' }])
  })

  it('refuses other files under the installed version, unless it is allowed', async () => {
    const { site, project, source } = await createInstalled()
    await publish(site, { extra: 'changed' })
    const before = readFileSync(project.lock, 'utf8')
    const refused = await project.run('install', source, '--yes')
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining('version 0.1.0 had the digest'),
    ])
    expect(await project.run('update', '--yes')).toMatchObject({ code: 3 })
    expect(readFileSync(project.lock, 'utf8')).toBe(before)
    const allowed = await project.run('update', '--yes', '--allow-republished')
    expect(allowed).toMatchObject({ code: 0 })
  })

  it('refuses an older version, also if the index gives it a higher number', async () => {
    const { site, project } = await createInstalled()
    await publish(site, { version: '0.0.9' })
    const older = await project.run('update', '--yes')
    expect([older.code, older.stdout]).toEqual([3, expect.stringContaining('is older')])
    await publish(site, { version: '0.0.9', listed: '9.0.0' })
    const hidden = await project.run('update', '--yes', '--allow-downgrade')
    expect([hidden.code, hidden.stdout]).toEqual([3, expect.stringContaining('calls it version')])
  })

  it('refuses a withdrawn version, and keeps the one that is installed', async () => {
    const { site, project, first } = await createInstalled()
    const path = first.path.slice('/skills/greet/'.length)
    const archives = [{ path, type: 'tar.gz', digest: first.digest, size: 1 }]
    const versions = [{ version: '0.1.0', yanked: 'it deletes files', archives }]
    site.files.set('/skills/greet/index.json', JSON.stringify({ versions }))
    site.files.set('/.well-known/agent-skills/index.json', `{"$schema":"${SCHEMA}","skills":[]}`)
    const exact = `${site.origin}#greet@0.1.0`
    const other = createRemoteProject()
    const refused = await other.run('install', exact, '--yes')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('it deletes files')])
    expect(await project.run('install', exact)).toMatchObject({ code: 0 })
    rmSync(project.skills, { recursive: true })
    expect(await project.run('install', '--frozen')).toMatchObject({ code: 0 })
  })

  it('refuses a skill of the same name from another site', async () => {
    const { project } = await createInstalled()
    const other = await startStaticSite()
    await publish(other, { version: '0.2.0' })
    const { code, stderr } = await project.run('install', `${other.origin}#greet`, '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('another source')])
  })

  it('names the command for an archive on another server', async () => {
    const { site, project, source } = await createInstalled()
    const digest = `sha256:${'0'.repeat(64)}`
    const url = 'https://example.com/greet.tar.gz'
    const skills = [{ name: 'greet', type: 'archive', url, digest }]
    const index = JSON.stringify({ $schema: SCHEMA, skills })
    site.files.set('/.well-known/agent-skills/index.json', index)
    const { code, stderr } = await project.run('install', source, '--yes')
    expect([code, stderr.replace(/\s+/g, '')]).toEqual([
      3,
      expect.stringContaining(`${url}#sha256=${'0'.repeat(64)}`),
    ])
  })
})
