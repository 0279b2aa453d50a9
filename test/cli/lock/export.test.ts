// @module-tag slow
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createInstructionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createFolder, writeTree } from '../../helpers/skills.ts'
import {
  createForeignEntry,
  createLockProject,
  readJson,
  readSkills,
  shareRepository,
  type LockProject,
} from './lock-project.ts'

// Each test starts git many times.
vi.setConfig({ testTimeout: 180_000 })

interface ExportProject extends LockProject {
  /** Path of skills-lock.json. */
  file: string
}

async function createInstalled(...sources: string[]): Promise<ExportProject> {
  return await installAll(createLockProject(), sources)
}

async function installAll(
  project: LockProject,
  sources: readonly string[],
): Promise<ExportProject> {
  for (const source of sources) {
    expect(await project.run('install', source, '--yes')).toMatchObject({ code: 0 })
  }
  return { ...project, file: join(project.cwd, 'skills-lock.json') }
}

const GREET = 'github:owner/repo/skills/greet@main'
const BYE = 'github:owner/repo/skills/bye'

shareRepository()

describe('skills install --export', () => {
  it('writes sorted entries without times, and the same bytes again', async () => {
    const { run, file } = await createInstalled(GREET, BYE)
    const { code, stdout } = await run('install', '--export')
    expect([code, stdout]).toEqual([0, 'added demo.bye\nadded demo.greet\nin skills-lock.json\n'])
    const text = readFileSync(file, 'utf8')
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/) as unknown
    expect(Object.entries(readJson(file)['skills'] ?? {})).toEqual([
      ['bye', { ...createForeignEntry('bye'), computedHash: hash }],
      ['greet', { ...createForeignEntry('greet', { ref: 'main' }), computedHash: hash }],
    ])
    expect((await run('install', '--export')).stdout).toContain('unchanged demo.greet')
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('is imported as the same lock', { tags: ['slow'] }, async () => {
    const local = createFolder(createInstructionSkill('demo.local'))
    writeFileSync(join(local, 'SKILL.md'), '---\nname: local\ndescription: x\n---\n')
    const { run, lock, cwd } = await createInstalled(GREET, BYE, local)
    await run('install', '--export')
    const before = readFileSync(lock, 'utf8')
    rmSync(lock)
    rmSync(join(cwd, '.agents'), { recursive: true })
    const imported = await run('install', '--import', '--yes', '--json')
    expect(imported.code).toBe(0)
    for (const skill of Object.values(readSkills(imported))) expect(skill['drift']).toBe(false)
    expect(readFileSync(lock, 'utf8')).toBe(before)
  })

  it('reports another content of the source at the next import', { tags: ['slow'] }, async () => {
    const { run, cwd, lock, repository } = await installAll(
      createLockProject({ isChanged: true }),
      [BYE],
    )
    await run('install', '--export')
    rmSync(lock)
    rmSync(join(cwd, '.agents'), { recursive: true })
    repository.commit({ 'skills/bye/references/words.md': 'Changed.\n' })
    const { code, stderr, ...result } = await run('install', '--import', '--json')
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('not those that its entry describes'),
    ])
    expect(readSkills(result)['bye']).toMatchObject({ drift: true })
  })

  it('lists skills whose sources the format does not have, with the reason', async () => {
    const { run, cwd, repository } = createLockProject()
    await run('install', `${repository.url}#main:skills/greet`, '--yes')
    const packed = await run(
      'pack',
      join(repository.work, 'skills/bye'),
      '--out',
      'out',
      '--skip-lint',
    )
    expect(packed.code).toBe(0)
    await run('install', './out/bye-0.1.0.tar.gz', '--yes')
    const { code, stdout } = await run('install', '--export')
    expect(code).toBe(0)
    expect(stdout).toContain('omitted demo.bye: the format has no archives')
    expect(stdout).toContain('omitted demo.greet: the npm package "skills" reads no reference')
    expect(existsSync(join(cwd, 'skills-lock.json'))).toBe(false)
  })

  it('does not describe files that the source does not have any more', async () => {
    const source = createFolder(createInstructionSkill('demo.greet'))
    const { run } = await createInstalled(source)
    writeFileSync(join(source, 'more.txt'), 'x')
    const { code, stdout } = await run('install', '--export')
    expect([code, stdout]).toEqual([3, expect.stringContaining('other files than skills.lock')])
    rmSync(source, { recursive: true })
    const gone = await run('install', '--export')
    expect([gone.code, gone.stdout]).toEqual([2, expect.stringContaining('no such folder')])
  })

  it('keeps other entries and keys of the file', async () => {
    const { run, file, writeForeign } = await createInstalled(GREET)
    const other = { source: 'a/b', sourceType: 'github', computedHash: 'a'.repeat(64) }
    const greet = createForeignEntry('greet', {
      ref: 'main',
      computedHash: 'b'.repeat(64),
      via: 'x',
    })
    writeForeign({ zoo: other, greet })
    const { stdout } = await run('install', '--export')
    expect(stdout).toContain('updated demo.greet\nkept zoo (not in skills.lock)')
    expect(readJson(file)['skills']).toMatchObject({ zoo: other, greet: { via: 'x' } })
    expect(readJson(file)['skills']?.['greet']?.['computedHash']).not.toBe('b'.repeat(64))
  })

  it('replaces an entry of another source with --force only', async () => {
    const { run, file, writeForeign } = await createInstalled(GREET)
    writeForeign({ greet: createForeignEntry('greet', { source: 'evil/repo', via: 'x' }) })
    const before = readFileSync(file, 'utf8')
    const { code, stderr } = await run('install', '--export')
    expect([code, stderr]).toEqual([3, expect.stringContaining('from another source, "evil/repo"')])
    expect(readFileSync(file, 'utf8')).toBe(before)
    const forced = await run('install', '--export', '--force')
    expect([forced.code, forced.stdout]).toEqual([
      0,
      expect.stringContaining('replaced demo.greet'),
    ])
    expect(readJson(file)['skills']?.['greet']).not.toHaveProperty('via')
  })

  it(
    'writes the lock of a user, whose times stay while the files do',
    { tags: ['slow'] },
    async () => {
      const { run, home, repository } = createLockProject({ isChanged: true })
      await run('install', BYE, '--global', '--yes')
      expect(await run('install', '--export', '--global')).toMatchObject({ code: 0 })
      const file = join(home, '.agents/.skill-lock.json')
      const first = readFileSync(file, 'utf8')
      expect(JSON.parse(first)).toMatchObject({ version: 3, dismissed: {} })
      const old = '2020-01-01T00:00:00.000Z'
      writeFileSync(file, first.replaceAll(/"20\d\d-[^"]*Z"/g, `"${old}"`))
      await run('install', '--export', '--global')
      expect(readJson(file)['skills']?.['bye']).toMatchObject({ installedAt: old, updatedAt: old })
      repository.commit({ 'skills/bye/references/words.md': 'Changed.\n' })
      await run('update', '--global', '--yes')
      expect((await run('install', '--export', '--global')).stdout).toContain('updated demo.bye')
      const { installedAt, updatedAt } = readJson(file)['skills']?.['bye'] ?? {}
      expect([installedAt, updatedAt === old]).toEqual([old, false])
    },
  )

  it('writes to XDG_STATE_HOME if the other tool does', async () => {
    const { repository, home } = createLockProject()
    const state = createFolder()
    const { createRemoteProject } = await import('../../helpers/remote-project.ts')
    const { run } = createRemoteProject({ XDG_STATE_HOME: state, HOME: home })
    await run('install', join(repository.work, 'skills/bye'), '--global', '--yes')
    expect(await run('install', '--export', '--global')).toMatchObject({ code: 0 })
    expect(existsSync(join(state, 'skills/.skill-lock.json'))).toBe(true)
  })

  it('writes the named file, to which paths are relative', async () => {
    const { run, cwd } = await createInstalled()
    writeTree(cwd, prefixPaths('shared', createInstructionSkill('demo.greet')))
    await run('install', './shared', '--yes')
    const done = await run('install', '--export', 'sub/deep/lock.json', '--json')
    expect(done.code).toBe(0)
    expect(readJson(join(cwd, 'sub/deep/lock.json'))['skills']).toMatchObject({
      greet: { source: '../../shared', sourceType: 'local' },
    })
    const user = await run('install', '--export', '--format', 'skill-lock', 'user.json')
    expect(user.code).toBe(0)
    expect(readJson(join(cwd, 'user.json'))['skills']).toMatchObject({
      greet: { source: join(cwd, 'shared') },
    })
  })

  it('refuses the format of a user without a file, a link, and a file of another format', async () => {
    const { run, cwd, file } = await createInstalled(BYE)
    expect(await run('install', '--export', '--format', 'skill-lock')).toMatchObject({ code: 2 })
    const outside = join(createFolder({ 'lock.json': '{"version":1,"skills":{}}' }), 'lock.json')
    symlinkSync(outside, file)
    const linked = await run('install', '--export')
    expect([linked.code, linked.stderr]).toEqual([3, expect.stringContaining('is a link')])
    expect(readFileSync(outside, 'utf8')).toBe('{"version":1,"skills":{}}')
    writeFileSync(join(cwd, 'user.json'), '{"version":3,"skills":{}}')
    const other = await run('install', '--export', 'user.json')
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('format skill-lock')])
    expect(await run('install', '--export', 'fresh.json')).toMatchObject({ code: 0 })
  })
})
