import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createFolder } from '../../helpers/skills.ts'
import { createSiteProject, type SiteProject } from './published-site.ts'

vi.setConfig({ testTimeout: 180_000 })

const USER = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']

interface GitProject extends SiteProject {
  git(...args: string[]): string
  commit(): void
  publishTag(...options: string[]): ReturnType<SiteProject['run']>
}

function createGitProject(files: Record<string, string> = {}): GitProject {
  const project = createSiteProject(files)
  const git = (...args: string[]): string =>
    execFileSync('git', [...USER, ...args], {
      cwd: project.cwd,
      env: { PATH: process.env['PATH'], HOME: project.home },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  writeFileSync(
    join(project.home, '.gitconfig'),
    '[user]\n  name = Ada\n  email = ada@example.com\n',
  )
  git('init', '-q', '-b', 'main')
  const commit = (): void => {
    git('add', 'skills')
    git('commit', '-qm', 'Change')
  }
  commit()
  return {
    ...project,
    git,
    commit,
    publishTag: async (...options) =>
      await project.run('publish', './skills/greet', '--to', 'git:', '--no-tests', ...options),
  }
}

describe('skills publish --to git:', () => {
  it(
    'tags the commit, writes release files, and pushes the tag alone',
    { tags: ['slow'] },
    async () => {
      const { publishTag, git, cwd } = createGitProject()
      const bare = createFolder()
      execFileSync('git', ['init', '-q', '--bare', bare])
      git('remote', 'add', 'origin', bare)
      const result = await publishTag('--out', 'release', '--push', 'origin')
      expect(result).toMatchObject({ code: 0 })
      expect(git('cat-file', '-t', 'v0.1.0').trim()).toBe('tag')
      expect(git('rev-parse', 'v0.1.0^{commit}')).toBe(git('rev-parse', 'HEAD'))
      expect(git('ls-remote', 'origin').split('\n').filter(Boolean)).toEqual([
        expect.stringMatching(/\trefs\/tags\/v0\.1\.0$/),
        expect.stringMatching(/\trefs\/tags\/v0\.1\.0\^\{\}$/),
      ])
      expect(existsSync(join(cwd, 'release/greet-0.1.0.tar.gz'))).toBe(true)
      const again = await publishTag('--out', 'release', '--push', 'origin')
      expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('already there')])
    },
  )

  it(
    'refuses files that are not committed, with --allow-dirty as well',
    { tags: ['slow'] },
    async () => {
      const { publishTag, edit, git, commit } = createGitProject()
      edit('SKILL.md', 'Says', 'Writes')
      for (const options of [[], ['--allow-dirty']]) {
        const { code, stderr } = await publishTag(...options)
        expect([code, stderr]).toEqual([
          3,
          expect.stringContaining('differs from the current commit'),
        ])
      }
      expect(git('tag')).toBe('')
      commit()
      expect(await publishTag()).toMatchObject({ code: 0 })
    },
  )

  it('refuses a tag of the same version with other files, and keeps it', async () => {
    const { publishTag, edit, git, commit } = createGitProject()
    await publishTag()
    const before = git('rev-parse', 'v0.1.0')
    edit('SKILL.md', 'Says', 'Writes')
    commit()
    const { code, stderr } = await publishTag()
    expect([code, stderr]).toEqual([3, expect.stringContaining('with other content')])
    expect(git('rev-parse', 'v0.1.0')).toBe(before)
  })

  it('starts no hook and no filter of the repository', async () => {
    const { publishTag, git, cwd } = createGitProject()
    const attack = `touch ${join(cwd, 'attacked')}; cat`
    git('config', 'filter.evil.clean', attack)
    git('config', 'core.fsmonitor', attack)
    git('config', 'tag.gpgSign', 'true')
    git('config', 'gpg.program', attack)
    writeFileSync(join(cwd, '.git/info/attributes'), '* filter=evil\n')
    expect(await publishTag()).toMatchObject({ code: 0 })
    expect(existsSync(join(cwd, 'attacked'))).toBe(false)
    // The control: the usual command starts the filter.
    git(
      '-c',
      'core.fsmonitor=false',
      'hash-object',
      '--path',
      'x',
      join(cwd, 'skills/greet/SKILL.md'),
    )
    expect(existsSync(join(cwd, 'attacked'))).toBe(true)
  })

  it(
    'names the skill in the tag where the repository has several, and withdraws none',
    { tags: ['slow'] },
    async () => {
      const { publishTag, run, git } = createGitProject({ '../other/SKILL.md': '# Other\n' })
      expect(await publishTag()).toMatchObject({ code: 0 })
      expect(git('tag').trim()).toBe('greet-v0.1.0')
      const yank = await run('publish', 'yank', 'greet@0.1.0', '--to', 'git:')
      expect([yank.code, yank.stderr]).toEqual([2, expect.stringContaining('cannot be withdrawn')])
    },
  )
})
