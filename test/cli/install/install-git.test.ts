// @module-tag slow
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createGitRepository, runGit } from '../../helpers/git-repository.ts'
import { createRemoteProject } from '../../helpers/remote-project.ts'
import { createInstructionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder } from '../../helpers/skills.ts'

const GREET = createInstructionSkill('demo.greet')
const NEWER = createInstructionSkill('demo.greet', { version: '0.2.0' })

describe('skills install from a git repository', () => {
  it('installs the only skill of a repository, and locks its commit and folder', async () => {
    const project = createRemoteProject()
    const { url, work } = createGitRepository(prefixPaths('skills/greet', GREET))
    expect(await project.run('install', url, '--yes')).toMatchObject({ code: 0 })
    const commit = runGit(work, 'rev-parse', 'HEAD')
    expect(project.readLock().skills).toMatchObject([
      {
        name: 'demo.greet',
        source: `${url}#:skills/greet`,
        resolved: `${url}#${commit}:skills/greet`,
        archive: null,
      },
    ])
    expect(await project.run('verify')).toMatchObject({ code: 0 })
  })

  it('has the digest of the same folder on disk, and keeps executable bits', async () => {
    const project = createRemoteProject()
    const { url, work } = createGitRepository(GREET)
    chmodSync(join(work, 'references/words.md'), 0o755)
    runGit(work, 'add', '--all')
    runGit(work, 'commit', '--quiet', '--message=mode')
    expect(await project.run('install', url, '--yes')).toMatchObject({ code: 0 })
    const other = createRemoteProject()
    expect(await other.run('install', work, '--yes')).toMatchObject({ code: 0 })
    expect(project.readLock().skills[0]?.['tree']).toBe(other.readLock().skills[0]?.['tree'])
  })

  it.each([['branch'], ['tag'], ['annotated tag'], ['commit']])('accepts a %s', async (kind) => {
    const project = createRemoteProject()
    const { url, commit, work } = createGitRepository(GREET)
    const first = runGit(work, 'rev-parse', 'HEAD')
    if (kind === 'branch') runGit(work, 'branch', 'named')
    if (kind === 'tag') runGit(work, 'tag', 'named')
    if (kind === 'annotated tag') runGit(work, 'tag', '--annotate', '--message=one', 'named')
    commit(NEWER)
    const ref = kind === 'commit' ? first : 'named'
    expect(await project.run('install', `${url}#${ref}`, '--yes')).toMatchObject({ code: 0 })
    expect(project.readLock().skills).toMatchObject([
      { version: '0.1.0', resolved: `${url}#${first}` },
    ])
  })

  it('lists what to type if a repository has several skills', { tags: ['slow'] }, async () => {
    const project = createRemoteProject()
    const { url } = createGitRepository({
      ...prefixPaths('skills/greet', GREET),
      ...prefixPaths('skills/bye', createInstructionSkill('demo.bye')),
    })
    const { code, stderr } = await project.run('install', url, '--yes')
    expect(code).toBe(3)
    expect(stderr).toContain('It has demo.bye, demo.greet')
    const info = await project.run('info', url)
    expect(info.code).toBe(0)
    expect(info.stdout.match(/^demo\.\w+/gm)).toEqual(['demo.bye', 'demo.greet'])
    expect((await project.run('install', url, '--list')).stdout).toBe(info.stdout)
    const named = await project.run('install', `${url}#:skills/bye`, '--yes')
    expect(named).toMatchObject({ code: 0 })
    const absent = await project.run('install', `${url}#main:skills/absent`, '--yes')
    expect([absent.code, absent.stderr]).toEqual([3, expect.stringContaining('no SKILL.md')])
  })

  it(
    'reads github: sources from the server of SKILLS_GITHUB_URL, and locks github.com',
    { tags: ['slow'] },
    async () => {
      const { gitDir, work } = createGitRepository(prefixPaths('skills/greet', GREET))
      const commit = runGit(work, 'rev-parse', 'HEAD')
      const owner = join(createFolder(), 'owner')
      symlinkSync(dirname(gitDir), owner)
      const project = createRemoteProject({ SKILLS_GITHUB_URL: `file://${dirname(owner)}` })
      const source = 'github:owner/repo/skills/greet@main'
      expect(await project.run('install', source, '--yes')).toMatchObject({ code: 0 })
      expect(project.readLock().skills).toMatchObject([
        { source, resolved: `git+https://github.com/owner/repo.git#${commit}:skills/greet` },
      ])
      rmSync(project.skills, { recursive: true })
      expect(await project.run('install', '--frozen')).toMatchObject({ code: 0 })
      const wrong = createRemoteProject({ SKILLS_GITHUB_URL: 'http://example.com' })
      expect(await wrong.run('install', source, '--yes')).toMatchObject({ code: 2 })
    },
  )

  it('restores the locked commit after the branch has moved', { tags: ['slow'] }, async () => {
    const project = createRemoteProject()
    const { url, commit } = createGitRepository(GREET)
    await project.run('install', `${url}#main`, '--yes')
    commit(NEWER)
    rmSync(project.skills, { recursive: true })
    expect(await project.run('install', '--frozen')).toMatchObject({ code: 0 })
    const toml = readFileSync(join(project.skills, 'greet/skill.toml'), 'utf8')
    expect(toml).toContain('0.1.0')
  })

  it('refuses a tag that has moved, unless it is allowed', async () => {
    const project = createRemoteProject()
    const { url, commit, work } = createGitRepository(GREET)
    runGit(work, 'tag', 'v1')

    await project.run('install', `${url}#v1`, '--yes')
    const before = readFileSync(project.lock, 'utf8')
    commit(NEWER)
    runGit(work, 'tag', '--force', 'v1')
    const { code, stderr } = await project.run('install', `${url}#v1`, '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('the tag "v1" was')])
    expect(readFileSync(project.lock, 'utf8')).toBe(before)
    const allowed = await project.run('install', `${url}#v1`, '--yes', '--allow-republished')
    expect(allowed).toMatchObject({ code: 0 })
  })

  it(
    'installs from a branch that has moved, the control of the moved tag',
    { tags: ['slow'] },
    async () => {
      const project = createRemoteProject()
      const { url, commit } = createGitRepository(GREET)
      await project.run('install', `${url}#main`, '--yes')
      commit(NEWER)
      expect(await project.run('install', `${url}#main`, '--yes')).toMatchObject({ code: 0 })
    },
  )

  it('executes no hook, filter or attribute of a repository', async () => {
    const marker = join(createFolder(), 'marker')
    const { url, work, gitDir } = createGitRepository({
      ...GREET,
      '.gitattributes': '*.md filter=evil export-ignore\n',
    })
    const script = `#!/bin/sh\ntouch ${marker}\n`
    mkdirSync(join(gitDir, 'hooks'))
    for (const hook of ['post-checkout', 'post-merge', 'pre-auto-gc', 'reference-transaction']) {
      writeFileSync(join(gitDir, 'hooks', hook), script, { mode: 0o755 })
    }
    runGit(gitDir, 'config', 'filter.evil.smudge', `touch ${marker}`)
    runGit(gitDir, 'config', 'uploadpack.packObjectsHook', `touch ${marker}; true`)
    const project = createRemoteProject()
    expect(await project.run('install', url, '--yes')).toMatchObject({ code: 0 })
    expect(existsSync(join(project.skills, 'greet/references/words.md'))).toBe(true)
    expect(existsSync(marker)).toBe(false)
    // The control: a checkout with this configuration executes the filter.
    rmSync(join(work, 'references/words.md'))
    runGit(work, '-c', 'core.hooksPath=/dev/null', 'checkout', '--', '.')
    expect(existsSync(marker)).toBe(true)
  })

  it('refuses links, submodules and paths that leave the folder', async () => {
    const project = createRemoteProject()
    const linked = createGitRepository(GREET)
    symlinkSync('/etc/passwd', join(linked.work, 'secret.txt'))
    linked.commit({})
    const link = await project.run('install', linked.url, '--yes')
    expect([link.code, link.stderr]).toEqual([3, expect.stringContaining('symbolic link')])
    // The control: a checkout follows it.
    expect(readFileSync(join(linked.work, 'secret.txt'), 'utf8')).toContain('root')

    const nested = createGitRepository(GREET)
    const id = runGit(nested.work, 'rev-parse', 'HEAD')
    runGit(nested.work, 'update-index', '--add', '--cacheinfo', `160000,${id},module`)
    runGit(nested.work, 'commit', '--quiet', '--message=module')
    const module = await project.run('install', nested.url, '--yes')
    expect([module.code, module.stderr]).toEqual([3, expect.stringContaining('submodule')])

    const evil = createGitRepository(GREET)
    const blob = runGit(evil.work, 'rev-parse', 'HEAD:SKILL.md')
    const tree = writeTreeObject(evil.work, [
      ['100644', 'SKILL.md', blob],
      ['100644', '../evil.md', blob],
    ])
    const commit = runGit(evil.work, 'commit-tree', '-m', 'evil', tree)
    runGit(evil.work, 'update-ref', 'refs/heads/evil', commit)
    const escaped = await project.run('install', `${evil.url}#evil`, '--yes')
    expect([escaped.code, escaped.stderr]).toEqual([3, expect.stringContaining('evil.md')])
    expect(existsSync(project.skills)).toBe(false)
  })

  it('refuses two files that are one where case does not matter', async () => {
    const project = createRemoteProject()
    const { url } = createGitRepository({ ...GREET, 'a.txt': 'a', 'A.txt': 'b' })
    const { code, stderr } = await project.run('install', url, '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('one file')])
  })

  it('refuses a skill above the limits before it reads the files', { tags: ['slow'] }, async () => {
    const project = createRemoteProject()
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`data/${at}`, '']))
    const { url } = createGitRepository({ ...GREET, ...many })
    const { code, stderr } = await project.run('install', url, '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('more than 1000 files')])
    const large = createGitRepository({ ...GREET, data: 'a'.repeat(26 * 1024 ** 2) })
    const refused = await project.run('install', large.url, '--yes')
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('25 MiB')])
  })

  it('refuses another repository with a skill of the same name', { tags: ['slow'] }, async () => {
    const project = createRemoteProject()
    await project.run('install', createGitRepository(GREET).url, '--yes')
    const { code, stderr } = await project.run('install', createGitRepository(NEWER).url, '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('another source')])
  })

  it('reports a missing repository and a missing reference in one sentence', async () => {
    const project = createRemoteProject()
    const { url } = createGitRepository(GREET)
    const noRef = await project.run('install', `${url}#absent`, '--yes')
    expect([noRef.code, noRef.stderr]).toEqual([3, expect.stringContaining('cannot be fetched')])
    const none = await project.run('install', 'git+file:///absent/repo.git', '--yes')
    expect([none.code, none.stderr]).toEqual([3, expect.stringContaining('cannot be fetched')])
  })
})

/** Writes a tree object without the checks of git. */
function writeTreeObject(work: string, entries: readonly (readonly string[])[]): string {
  const parts = entries
    .toSorted(([, a = ''], [, b = '']) => (a < b ? -1 : 1))
    .map(([mode, path, id = '']) =>
      Buffer.concat([Buffer.from(`${mode} ${path}\0`), Buffer.from(id, 'hex')]),
    )
  const file = join(createFolder(), 'tree')
  writeFileSync(file, Buffer.concat(parts))
  return runGit(work, 'hash-object', '-t', 'tree', '-w', '--literally', file)
}
