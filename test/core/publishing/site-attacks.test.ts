import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildRelease } from '../../../src/core/publishing/build-release.ts'
import type {
  PublishCall,
  SkillRelease,
} from '../../../src/core/publishing/targets/publish-target.ts'
import { publishRelease } from '../../../src/core/publishing/publish-release.ts'
import { openSiteTarget } from '../../../src/core/publishing/targets/site/site-target.ts'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder } from '../../helpers/skills.ts'
import { readDiscovery, readFiles } from '../../cli/publish/published-site.ts'

const open = (folder: string) =>
  openSiteTarget({ folder, label: 'site:', name: 'acme', baseUrl: undefined })

function createCall(signal = new AbortController().signal): PublishCall {
  return { signal, timeoutMs: 60_000, onWritten: () => {} }
}

async function build(files: Record<string, string> = {}, version = '0.1.0'): Promise<SkillRelease> {
  const folder = createFolder({ ...createActionSkill('demo.greet', { version }), ...files })
  const limits = {
    formats: ['tar.gz', 'zip', 'skill'],
    maxFiles: 100,
    maxBytes: 1024 ** 2,
  } as const
  return (await buildRelease(folder, limits)).release
}

describe('a site', () => {
  it.each(['skills', '.well-known', '.agents', '.skills-publish'])(
    'is not written through a link named %s',
    async (name) => {
      const [site, outside] = [createFolder(), createFolder()]
      symlinkSync(outside, join(site, name))
      await expect(publishRelease(open(site), await build(), createCall())).rejects.toMatchObject({
        code: 'file/outside',
      })
      expect(readdirSync(outside)).toEqual([])
    },
  )

  it.each([
    ['a path of an archive that leads out', '"path": "0.1.0/greet', '"path": "../0.1.0/greet'],
    ['a script as version', '"version": "0.1.0"', '"version": "<script>"'],
    ['a name that is not the folder', '"name": "greet"', '"name": "other"'],
    ['a key twice', '"yanked": null', '"yanked": null, "yanked": "x"'],
  ])('with %s in a record is refused', async (_, before, after) => {
    const site = createFolder()
    await publishRelease(open(site), await build(), createCall())
    const file = join(site, 'skills/greet/index.json')
    const text = readFiles(site)['skills/greet/index.json'] ?? ''
    expect(text).toContain(before)
    writeFileSync(file, text.replace(before, after))
    expect(() => open(site)).toThrow(/is not valid/)
    writeFileSync(file, text)
    expect(() => open(site)).not.toThrow()
  })

  it('gets both of two skills whose publishers run at the same time', async () => {
    const site = createFolder()
    const [first, second] = [await build(), await build({}, '0.2.0')]
    await Promise.all(
      [first, second].map(async (each) => await publishRelease(open(site), each, createCall())),
    )
    expect(readDiscovery(site).skills).toMatchObject([{ version: '0.2.0' }])
    const versions = await open(site).listVersions(first, createCall())
    expect(versions.map(({ version }) => version)).toEqual(['0.2.0', '0.1.0'])
  })

  it('gets one of two publications of a version with different files', async () => {
    const site = createFolder()
    const releases = [await build({ 'a.txt': 'a' }), await build({ 'a.txt': 'b' })]
    const results = await Promise.allSettled(
      releases.map(async (each) => await publishRelease(open(site), each, createCall())),
    )
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const winner = releases[results.findIndex(({ status }) => status === 'fulfilled')]
    const fetched = await open(site).listVersions(winner as SkillRelease, createCall())
    expect(fetched).toMatchObject([{ tree: winner?.tree }])
  })

  it('has no index entry of an interrupted publication, whose error lists the files', async () => {
    const site = createFolder()
    const controller = new AbortController()
    let count = 0
    const call = {
      ...createCall(controller.signal),
      onWritten: () => void ((count += 1) === 3 && controller.abort()),
    }
    const release = await build()
    await expect(publishRelease(open(site), release, call)).rejects.toMatchObject({
      code: 'run/cancelled',
      data: { written: expect.arrayContaining(['skills/greet/0.1.0/greet-0.1.0.zip']) as unknown },
    })
    expect(readFiles(site)).not.toHaveProperty(['.well-known/agent-skills/index.json'])
    await publishRelease(open(site), release, createCall())
    expect(readDiscovery(site).skills).toHaveLength(1)
  })

  it('that returns other bytes than it got is reported', async () => {
    const site = createFolder()
    const target = open(site)
    const release = await build()
    const lying = {
      ...target,
      write: async (...args: Parameters<typeof target.write>) => {
        await target.write(...args)
        writeFileSync(join(site, 'skills/greet/0.1.0/greet-0.1.0.zip'), 'other')
      },
    }
    await expect(publishRelease(lying, release, createCall())).rejects.toMatchObject({
      code: 'remote/unexpected',
    })
    await expect(publishRelease(target, release, createCall())).resolves.toBeDefined()
  })

  it('cannot have a name that clients reserve', () => {
    const site = createFolder()
    mkdirSync(join(site, 'x'))
    for (const name of ['agent-skills', 'official-claude', 'Acme', '../x', '']) {
      const options = { folder: site, label: 'site:', name, baseUrl: undefined }
      expect(() => openSiteTarget(options)).toThrow(/cannot be the name/)
    }
    for (const baseUrl of [
      'http://example.com',
      'javascript:alert(1)',
      'https://u:p@example.com',
    ]) {
      const options = { folder: site, label: 'site:', name: 'acme', baseUrl }
      expect(() => openSiteTarget(options)).toThrow(/address of the site/)
    }
  })
})
