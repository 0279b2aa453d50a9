import { hash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { writeArchive } from '../../../src/core/packing/formats.ts'
import { createGitRepository, runGit } from '../../helpers/git-repository.ts'
import { createInstructionSkill } from '../../helpers/projects.ts'
import { createRemoteProject } from '../../helpers/remote-project.ts'
import { startStaticSite } from '../../helpers/static-site.ts'

const INDEX = '/.well-known/agent-skills/index.json'
const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json'

async function startSite(names: readonly string[]) {
  const site = await startStaticSite()
  const entry = { type: 'archive', description: 'x', url: '/a.tar.gz', digest: 'x' }
  const skills = names.map((name) => ({ name, ...entry }))
  site.files.set(INDEX, JSON.stringify({ $schema: SCHEMA, skills }))
  site.files.set('/', '<!doctype html>')
  return site
}

describe('a wrong source is answered with what to type', () => {
  it.each(['', '/'])('the address of a site, ending with "%s", lists its skills', async (end) => {
    const site = await startSite(['greet', 'weather'])
    const { code, stderr } = await createRemoteProject().run('install', `${site.origin}${end}`)
    expect(code).toBe(3)
    expect(stderr).toContain(`Cannot install from "${site.origin}": it is a site with 2 skills`)
    expect(stderr).toContain(`skills install '${site.origin}#greet'; it has greet, weather`)
  })

  it('an address without a site and an archive is refused as an archive', async () => {
    const site = await startStaticSite()
    site.files.set('/page', '<!doctype html>')
    const { code, stderr } = await createRemoteProject().run('install', `${site.origin}/page`)
    expect([code, stderr]).toEqual([3, expect.stringContaining('The archive is refused')])
  })

  it('a name that a site does not have lists the names that it has', async () => {
    const site = await startSite(['greet', 'weather'])
    const { code, stderr } = await createRemoteProject().run('install', `${site.origin}#missing`)
    expect([code, stderr]).toEqual([3, expect.stringContaining('It has greet, weather')])
  })

  it('a page in place of a SKILL.md is refused by what it is not', async () => {
    const site = await startStaticSite()
    site.files.set('/greet/SKILL.md', '<!doctype html>')
    const source = `${site.origin}/greet/SKILL.md`
    const { code, stderr } = await createRemoteProject().run('install', source)
    expect([code, stderr]).toEqual([3, expect.stringContaining('has no front matter')])
  })

  it('an archive with another digest is not recommended to be downloaded by hand', async () => {
    const site = await startStaticSite()
    const files = Object.entries(createInstructionSkill('demo.greet')).map(([path, text]) => ({
      path,
      isExecutable: false,
      bytes: Buffer.from(text),
    }))
    const bytes = await writeArchive('tar.gz', files, { folder: '' })
    site.files.set('/a.tar.gz', bytes)
    const project = createRemoteProject()
    const url = `${site.origin}/a.tar.gz#sha256=`
    const { code, stderr } = await project.run('install', `${url}${'0'.repeat(64)}`, '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('Do not use this file')])
    const right = await project.run('install', `${url}${hash('sha256', bytes)}`, '--yes')
    expect(right).toMatchObject({ code: 0 })
  })

  it('a word alone is searched for', async () => {
    const { code, stderr } = await createRemoteProject().run('install', 'pdf')
    expect([code, stderr]).toEqual([2, expect.stringContaining('Type "skills search pdf"')])
  })

  it.each([
    ['npm:greet@^1.0.0', 'an exact version or a tag', 'npm:package@latest#skill'],
    ['oci:example.com/greet', 'oci:host/repository:tag', 'oci:host/repository:1.0.0'],
    ['github:owner', 'github:owner/repo/path@ref', 'github:owner/repo/path@ref'],
  ])('%s is answered with the forms of its kind', async (source, problem, hint) => {
    const { code, stderr } = await createRemoteProject().run('install', source)
    expect(code).toBe(2)
    expect(stderr).toContain(problem)
    expect(stderr).toContain(hint)
    expect(stderr).not.toContain('./folder')
  })

  it.each([
    ['#nothing', 'it has no branch and no tag "nothing"'],
    ['.missing', 'does not appear to be a git repository'],
  ])('git+file://repo%s is refused with the reason of git', async (end, problem) => {
    const { url } = createGitRepository(createInstructionSkill('demo.greet'))
    const { code, stderr } = await createRemoteProject().run('install', `${url}${end}`)
    expect([code, stderr]).toEqual([3, expect.stringContaining(problem)])
  })

  it('a repository without its default branch needs the name of another one', async () => {
    const { url, gitDir } = createGitRepository(createInstructionSkill('demo.greet'))
    runGit(gitDir, 'symbolic-ref', 'HEAD', 'refs/heads/other')
    const project = createRemoteProject()
    const { code, stderr } = await project.run('install', url)
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('its default branch does not exist'),
    ])
    expect(stderr).toContain('Name a branch, a tag or a commit')
    expect(await project.run('install', `${url}#main`, '--yes')).toMatchObject({ code: 0 })
  })

  it('a text that is not a digest is refused by --trust', async () => {
    const { url } = createGitRepository(createInstructionSkill('demo.greet'))
    const { code, stderr } = await createRemoteProject().run('install', url, '--trust', 'sha256:1')
    expect([code, stderr]).toEqual([2, expect.stringContaining('64 hexadecimal digits')])
  })
})
