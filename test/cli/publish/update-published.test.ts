// @module-tag slow
// @module-tag nightly
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createRemoteProject } from '../../helpers/remote-project.ts'
import { startStaticSite, type StaticSite } from '../../helpers/static-site.ts'
import { createSiteProject, readFiles } from './published-site.ts'

// Each command loads the whole tool.
vi.setConfig({ testTimeout: 300_000 })

function serveFolder({ files }: StaticSite, folder: string): void {
  files.clear()
  for (const [path, text] of Object.entries(readFiles(folder))) {
    files.set(`/base/${path}`, Buffer.from(text, 'latin1'))
  }
}

describe('a published site', () => {
  it('is a source: install, update, an older version, and a withdrawn one', async () => {
    const { publish, edit, site: folder, skill, run } = createSiteProject()
    const server = await startStaticSite()
    expect(await publish()).toMatchObject({ code: 0 })
    serveFolder(server, folder)
    const project = createRemoteProject()
    const source = `${server.origin}/base#greet`
    expect(await project.run('install', source, '--yes')).toMatchObject({ code: 0 })
    expect(await project.run('verify')).toMatchObject({ code: 0 })

    edit('skill.toml', '0.1.0', '0.2.0')
    edit('code/main.py', 'Hello', 'Good day')
    expect(await publish()).toMatchObject({ code: 0 })
    serveFolder(server, folder)
    expect((await project.run('update', '--dry-run')).stdout).toMatch(/0\.1\.0\s+0\.2\.0\s+newer/)
    const updated = await project.run('update', '--yes')
    expect(updated).toMatchObject({ code: 0 })
    expect(updated.stderr).toContain('code/main.py')
    const published = await run('info', '--digest', join(skill), '--packed')
    expect(published.stdout).toContain(project.readLock().skills[0]?.['tree'])

    const other = createRemoteProject()
    expect(await other.run('install', `${source}@0.1.0`, '--yes')).toMatchObject({ code: 0 })
    expect(other.readLock().skills).toMatchObject([
      {
        version: '0.1.0',
        resolved: expect.stringContaining('/base/skills/greet/0.1.0/') as string,
      },
    ])

    const target = ['--to', 'site:./public', '--reason', 'x']
    expect(await run('publish', 'yank', 'greet@0.2.0', ...target)).toMatchObject({ code: 0 })
    serveFolder(server, folder)
    const asked = JSON.parse((await project.run('update', '--dry-run', '--json')).stdout) as object
    expect(asked).toMatchObject({
      skills: [{ status: 'withdrawn', withdrawn: 'x', installed: '0.2.0', available: '0.1.0' }],
    })
    const older = await project.run('update', '--yes')
    expect([older.code, older.stdout]).toEqual([
      3,
      expect.stringContaining('its publisher withdrew the installed one (x)'),
    ])
    expect((await other.run('update', '--dry-run')).stdout).toBe('No other version was found\n')
    const yanked = await run('publish', 'yank', 'greet@0.1.0', ...target)
    expect(yanked).toMatchObject({ code: 0 })
    serveFolder(server, folder)
    const left = await other.run('update', '--dry-run')
    expect(left.stdout).toMatch(/0\.1\.0\s+0\.1\.0\s+withdrawn\s+x/)
    expect(left.stdout).toContain('the publisher withdrew 1 installed version')
    const refused = await createRemoteProject().run('install', `${source}@0.1.0`, '--yes')
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('withdrew')])
  })
})
