import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { writeArchive } from '../../../src/core/packing/formats.ts'
import { createInstructionSkill, createTextSkill, prefixPaths } from '../../helpers/projects.ts'
import { createRemoteProject } from '../../helpers/remote-project.ts'
import { createFolder, writeTree } from '../../helpers/skills.ts'
import { startStaticSite } from '../../helpers/static-site.ts'

const MARKDOWN = '---\nname: hello-world\ndescription: Greets.\n---\n\n# Hello\n'

it('a SKILL.md by URL is a skill of one file, with a digest that can be pinned', async () => {
  const site = await startStaticSite()
  site.files.set('/a/SKILL.md', MARKDOWN)
  const project = createRemoteProject()
  const url = `${site.origin}/a/SKILL.md`
  const digest = hash('sha256', MARKDOWN)
  const pinned = await project.run('install', `${url}#sha256=${'0'.repeat(64)}`, '--yes')
  expect([pinned.code, pinned.stderr]).toEqual([3, expect.stringContaining('its digest is')])
  expect(await project.run('install', url)).toMatchObject({ code: 4 })
  expect(await project.run('install', `${url}#sha256=${digest}`, '--yes')).toMatchObject({
    code: 0,
  })
  expect(project.readLock().skills).toMatchObject([
    { name: 'hello-world', folder: 'hello-world', resolved: `${url}#sha256=${digest}` },
  ])
  expect(readFileSync(join(project.skills, 'hello-world/SKILL.md'), 'utf8')).toBe(MARKDOWN)
})

it('a plain tar archive and its file URL are sources', async () => {
  const project = createRemoteProject()
  const files = Object.entries(createInstructionSkill('demo.greet')).map(([path, text]) => {
    return { path, isExecutable: false, bytes: Buffer.from(text) }
  })
  const archive = join(project.cwd, 'greet.tar')
  writeFileSync(archive, gunzipSync(await writeArchive('tar.gz', files, { folder: '' })))
  const { href } = pathToFileURL(archive)
  expect(await project.run('info', 'greet.tar')).toMatchObject({ code: 0 })
  expect(await project.run('install', href, '--yes')).toMatchObject({ code: 0 })
  expect(project.readLock().skills).toMatchObject([{ name: 'demo.greet', source: 'greet.tar' }])
  expect(await project.run('diff', 'greet.tar', '.agents/skills/greet')).toMatchObject({ code: 0 })
})

it('a file URL of a folder, and the path of a SKILL.md, are sources', async () => {
  const other = createFolder(prefixPaths('greet', createTextSkill('greet')))
  const project = createRemoteProject()
  const { href } = pathToFileURL(join(other, 'greet'))
  expect(await project.run('install', href, '--yes')).toMatchObject({ code: 0 })
  writeTree(project.cwd, prefixPaths('bye', createTextSkill('bye')))
  expect(await project.run('install', 'bye/SKILL.md', '--yes')).toMatchObject({ code: 0 })
  expect(project.readLock().skills).toMatchObject([
    { name: 'bye', source: 'bye' },
    { name: 'greet', source: expect.stringContaining('../') },
  ])
})
