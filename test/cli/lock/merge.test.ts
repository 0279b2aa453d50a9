// @module-tag slow
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { runGit } from '../../helpers/git-repository.ts'
import { createInstructionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createRemoteProject, type RemoteProject } from '../../helpers/remote-project.ts'
import { writeTree } from '../../helpers/skills.ts'

// Each test starts git many times.
vi.setConfig({ testTimeout: 180_000 })

interface MergeProject extends RemoteProject {
  /** Installs skills on a branch, and commits the lock. */
  installOn(branch: string, ...names: string[]): Promise<void>
  /** Merges a branch into the current one; returns the status of git. */
  merge(branch: string, ...options: string[]): number | null
  /** Changes a skill at its source. */
  release(name: string, version: string): void
}

/** A project under version control, whose branch `main` has the skills `d` and `m`. */
async function createMergeProject(...first: string[]): Promise<MergeProject> {
  const project = createRemoteProject()
  const { cwd, run } = project
  const release = (name: string, version: string) =>
    writeTree(
      cwd,
      prefixPaths(`sources/${name}`, createInstructionSkill(`demo.${name}`, { version })),
    )
  for (const name of ['a', 'b', 'd', 'm', 'z']) release(name, '0.1.0')
  writeFileSync(join(cwd, '.gitignore'), '.agents\nsources\n')
  runGit(cwd, 'init', '--quiet', '--initial-branch=main')
  const installOn: MergeProject['installOn'] = async (branch, ...names) => {
    if (branch !== 'main') runGit(cwd, 'switch', '--quiet', '--create', branch, 'main')
    rmSync(join(cwd, '.agents'), { recursive: true, force: true })
    if (existsSync(project.lock)) await run('install', '--frozen')
    for (const name of names) {
      expect(await run('install', `./sources/${name}`, '--yes')).toMatchObject({ code: 0 })
    }
    runGit(cwd, 'add', '--all')
    runGit(cwd, 'commit', '--quiet', '--message', branch)
  }
  await installOn('main', ...first)
  return {
    ...project,
    installOn,
    release,
    merge: (branch, ...options) =>
      spawnSync(
        'git',
        [
          '-c',
          'user.name=T',
          '-c',
          'user.email=t@example.org',
          ...options,
          'merge',
          '--no-edit',
          branch,
        ],
        { cwd },
      ).status,
  }
}

const listNames = (project: RemoteProject) => project.readLock().skills.map(({ name }) => name)

describe('skills.lock on two branches', () => {
  it(
    'is merged by git without a conflict where the names are apart',
    { tags: ['slow'] },
    async () => {
      const project = await createMergeProject('d', 'm')
      await project.installOn('one', 'a')
      await project.installOn('two', 'z')
      expect(project.merge('one')).toBe(0)
      expect(listNames(project)).toEqual(['demo.a', 'demo.d', 'demo.m', 'demo.z'])
      rmSync(project.skills, { recursive: true })
      expect(await project.run('install', '--frozen')).toMatchObject({ code: 0 })
      expect(await project.run('verify')).toMatchObject({ code: 0 })
    },
  )

  it.each([
    ['the default style', []],
    ['the base', ['-c', 'merge.conflictStyle=diff3']],
    ['the shorter base', ['-c', 'merge.conflictStyle=zdiff3']],
  ])('with a conflict in %s, every command names the one that resolves it', async (_, options) => {
    const project = await createMergeProject('m')
    await project.installOn('one', 'a')
    await project.installOn('two', 'b')
    expect(project.merge('one', ...options)).toBe(1)
    for (const argv of [
      ['install'],
      ['install', '--frozen'],
      ['verify'],
      ['install', './sources/z'],
    ]) {
      const { code, stderr } = await project.run(...argv)
      expect([code, stderr]).toEqual([2, expect.stringContaining('is a conflict marker of git')])
      expect(stderr).toContain('skills install --merge')
    }
    const merged = await project.run('install', '--merge')
    expect([merged.code, merged.stdout]).toEqual([0, 'added demo.a\nmerged skills.lock\n'])
    expect(listNames(project)).toEqual(['demo.a', 'demo.b', 'demo.m'])
    // Both were agreed to on this machine.
    expect(await project.run('install')).toMatchObject({ code: 0 })
    expect(await project.run('verify')).toMatchObject({ code: 0 })
  })

  it('that each added their first skill are merged', { tags: ['slow'] }, async () => {
    const project = await createMergeProject()
    await project.installOn('one', 'a')
    await project.installOn('two', 'b')
    expect(project.merge('one')).toBe(1)
    expect(await project.run('install', '--merge')).toMatchObject({ code: 0 })
    expect(listNames(project)).toEqual(['demo.a', 'demo.b'])
  })

  it('that changed one skill need a decision', { tags: ['slow'] }, async () => {
    const project = await createMergeProject('m')
    project.release('m', '0.2.0')
    await project.installOn('one', 'm', 'a')
    project.release('m', '0.3.0')
    runGit(project.cwd, 'switch', '--quiet', 'main')
    await project.installOn('two', 'm')
    expect(project.merge('one')).toBe(1)
    const before = readFileSync(project.lock, 'utf8')
    const undecided = await project.run('install', '--merge')
    expect([undecided.code, undecided.stderr]).toEqual([
      2,
      expect.stringContaining('Both sides changed demo.m (ours: 0.3.0, theirs: 0.2.0)'),
    ])
    expect(undecided.stderr.replace(/\s+/g, ' ')).toContain('Type --merge ours or --merge theirs')
    expect(await project.run('install', '--merge', 'both')).toMatchObject({ code: 2 })
    expect(readFileSync(project.lock, 'utf8')).toBe(before)
    expect(await project.run('install', '--merge', 'theirs')).toMatchObject({ code: 0 })
    expect(project.readLock().skills).toMatchObject([
      { name: 'demo.a' },
      { name: 'demo.m', version: '0.2.0' },
    ])
  })
})

describe('skills install --merge', () => {
  it(
    'gives no consent: skills of the other branch are shown before they are installed',
    { tags: ['slow'] },
    async () => {
      const project = await createMergeProject('m')
      await project.installOn('one', 'a')
      await project.installOn('two', 'b')
      project.merge('one')
      await project.run('install', '--merge')
      rmSync(project.skills, { recursive: true })
      rmSync(join(project.home, '.config'), { recursive: true })
      const { code, stderr } = await project.run('install')
      expect([code, stderr]).toEqual([4, expect.stringContaining('consent')])
    },
  )

  it('reports a lock without conflicts, and a missing one', async () => {
    const project = await createMergeProject('m')
    const before = readFileSync(project.lock, 'utf8')
    const { code, stdout } = await project.run('install', '--merge')
    expect([code, stdout]).toEqual([0, 'skills.lock has no conflicts\n'])
    expect(readFileSync(project.lock, 'utf8')).toBe(before)
    expect(await createRemoteProject().run('install', '--merge')).toMatchObject({ code: 3 })
  })

  it('keeps additions, updates and removals of both sides', async () => {
    const project = await createMergeProject('b', 'd', 'm')
    project.release('d', '0.2.0')
    await project.installOn('one', 'a', 'd')
    await project.run('remove', 'demo.b')
    runGit(project.cwd, 'commit', '--quiet', '--all', '--message=removed')
    await project.installOn('two', 'z')
    await project.run('remove', 'demo.m')
    await project.run('install', './sources/b', '--agent', 'claude-code')
    runGit(project.cwd, 'commit', '--quiet', '--all', '--message=removed')
    // Each side has lines that git would merge.
    runGit(project.cwd, 'read-tree', '-m', 'main', 'two', 'one')
    writeFileSync(project.lock, `<<<<<<< ours\n${readFileSync(project.lock, 'utf8')}`)
    const undecided = await project.run('install', '--merge')
    expect([undecided.code, undecided.stderr]).toEqual([
      2,
      expect.stringContaining('Both sides changed demo.b (ours: 0.1.0, theirs: removed)'),
    ])
    const merged = await project.run('install', '--merge', 'theirs')
    expect([merged.code, merged.stdout]).toEqual([
      0,
      'added demo.a\nupdated demo.d\nremoved demo.b\nmerged skills.lock\n',
    ])
    expect(listNames(project)).toEqual(['demo.a', 'demo.d', 'demo.z'])
  })

  it(
    'refuses sides that are not valid, or that have two skills in one folder',
    { tags: ['slow'] },
    async () => {
      const project = await createMergeProject('m')
      const text = readFileSync(project.lock, 'utf8')
      const mergeTexts = async (ours: string, theirs: string) => {
        const write = (stage: number, content: string) => {
          writeFileSync(join(project.home, 'side'), content)
          const id = runGit(project.cwd, 'hash-object', '-w', join(project.home, 'side'))
          return `100644 ${id} ${stage}\tskills.lock\n`
        }
        const index = `0 ${'0'.repeat(40)}\tskills.lock\n${write(2, ours)}${write(3, theirs)}`
        spawnSync('git', ['update-index', '--index-info'], { cwd: project.cwd, input: index })
        const conflict = `<<<<<<< ours\n${ours}=======\n${theirs}>>>>>>> theirs\n`
        writeFileSync(project.lock, conflict)
        const { code, stderr } = await project.run('install', '--merge')
        if (code !== 0) expect(readFileSync(project.lock, 'utf8')).toBe(conflict)
        return [code, stderr.replace(/\s+/g, ' ')]
      }
      const invalid = expect.stringContaining('skills.lock (theirs)" is not valid') as unknown
      expect(await mergeTexts(text, '{}')).toEqual([2, invalid])
      const twice = expect.stringContaining('the folder "m" is there twice') as unknown
      expect(await mergeTexts(text, text.replace('demo.m', 'demo.n'))).toEqual([2, twice])
      // The control: the same way of two valid sides.
      expect(await mergeTexts(text, text)).toEqual([0, expect.any(String)])
    },
  )

  it(
    'without an unfinished merge names the command that begins it again',
    { tags: ['slow'] },
    async () => {
      const project = await createMergeProject('m')
      await project.installOn('one', 'a')
      await project.installOn('two', 'b')
      project.merge('one')
      const conflict = readFileSync(project.lock, 'utf8')
      runGit(project.cwd, 'add', 'skills.lock')
      const { code, stderr } = await project.run('install', '--merge')
      expect([code, stderr.replace(/\s+/g, ' ')]).toEqual([
        2,
        expect.stringContaining('git checkout --merge skills.lock'),
      ])
      expect(readFileSync(project.lock, 'utf8')).toBe(conflict)
      runGit(project.cwd, 'checkout', '--merge', 'skills.lock')
      expect(await project.run('install', '--merge')).toMatchObject({ code: 0 })
    },
  )

  it('starts no program of the repository', async () => {
    const project = await createMergeProject('m')
    await project.installOn('one', 'a')
    await project.installOn('two', 'b')
    project.merge('one')
    const marker = join(project.home, 'marker')
    writeFileSync(join(project.home, 'evil.sh'), `#!/bin/sh\ntouch ${marker}\ncat\n`, {
      mode: 0o755,
    })
    const evil = join(project.home, 'evil.sh')
    for (const key of [
      'core.fsmonitor',
      'filter.evil.smudge',
      'diff.evil.textconv',
      'core.pager',
    ]) {
      runGit(project.cwd, 'config', key, evil)
    }
    writeFileSync(join(project.cwd, '.gitattributes'), '* filter=evil diff=evil\n')
    expect(await project.run('install', '--merge')).toMatchObject({ code: 0 })
    expect(existsSync(marker)).toBe(false)
    // The control: git itself starts them.
    runGit(project.cwd, 'status')
    expect(existsSync(marker)).toBe(true)
  })

  it('keeps the agents of both sides', { tags: ['slow'] }, async () => {
    const project = await createMergeProject('m')
    for (const [branch, agent] of [
      ['one', 'claude-code'],
      ['two', 'roo'],
    ] as const) {
      runGit(project.cwd, 'switch', '--quiet', '--create', branch, 'main')
      await project.run('install', '--agent', agent)
      runGit(project.cwd, 'add', 'skills.lock')
      runGit(project.cwd, 'commit', '--quiet', '--message', branch)
    }
    expect(project.merge('one')).toBe(1)
    expect(await project.run('install', '--merge')).toMatchObject({ code: 0 })
    expect(project.readLock().skills).toMatchObject([
      { agents: [{ agent: 'claude-code' }, { agent: 'roo' }] },
    ])
  })
})
