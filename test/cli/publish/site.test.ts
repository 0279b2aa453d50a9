// @module-tag slow
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createSiteProject, readDiscovery, readFiles } from './published-site.ts'

vi.setConfig({ testTimeout: 180_000 })

describe('skills publish --to site:', () => {
  it('writes an index whose archive has its digest and the files of the skill', async () => {
    const { publish, site, run } = createSiteProject()
    const result = await publish()
    expect(result.stderr).toContain('tests were skipped')
    expect(result).toMatchObject({ code: 0 })
    const [entry] = readDiscovery(site).skills
    const file = join(site, '.well-known/agent-skills', entry?.url ?? '')
    expect(`sha256:${hash('sha256', readFileSync(file))}`).toBe(entry?.digest)
    const [packed, folder] = [
      await run('info', '--digest', file),
      await run('info', '--digest', './skills/greet', '--packed'),
    ]
    expect(packed.stdout).toBe(folder.stdout)
    expect(dirname(file)).toBe(join(site, 'skills/greet/0.1.0'))
  })

  it('writes the same bytes from the same skill, without times', async () => {
    const [first, second] = [createSiteProject(), createSiteProject()]
    await first.publish()
    await second.publish()
    const files = readFiles(first.site)
    expect(Object.keys(files).length).toBeGreaterThan(12)
    expect(readFiles(second.site)).toEqual(files)
  })

  it('shows with --dry-run exactly the files that it would write, and writes nothing', async () => {
    const { publish, site } = createSiteProject()
    const planned = (await publish('--dry-run', '--json')).json()
    expect(existsSync(site)).toBe(false)
    const written = (await publish('--json')).json()
    expect(planned).toMatchObject({ status: 'planned' })
    expect(planned['writes']).toEqual(written['writes'])
    const paths = (written['writes'] as { path: string }[]).map(({ path }) => path)
    expect(paths.toSorted()).toEqual(Object.keys(readFiles(site)).toSorted())
    expect(paths.at(-1)).toBe('.well-known/agent-skills/index.json')
  })

  it('says that a skill without a version can be published once', async () => {
    const { publish, edit } = createSiteProject()
    const note = 'Warning: 0.0.0 is the version of a skill that names none'
    expect((await publish('--dry-run')).stderr).not.toContain(note)
    edit('skill.toml', '0.1.0', '0.0.0')
    expect((await publish('--dry-run')).stderr).toContain(note)
  })

  it('keeps the site byte by byte with --dry-run of a new version', async () => {
    const { publish, site, edit } = createSiteProject()
    await publish()
    const before = readFiles(site)
    edit('skill.toml', '0.1.0', '0.1.1')
    expect(await publish('--dry-run')).toMatchObject({ code: 0 })
    expect(readFiles(site)).toEqual(before)
    await publish()
    expect(readFiles(site)).not.toEqual(before)
  })
})
