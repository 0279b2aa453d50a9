// @module-tag slow
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  chmodSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { runCommandLine } from '../../../src/cli/program.ts'
import { INHERITED_ENV } from '../../helpers/inherited-env.ts'
import { createInstructionSkill } from '../../helpers/projects.ts'
import { createFolder } from '../../helpers/skills.ts'
import {
  createForeignEntry,
  createLockProject,
  readSkills,
  shareRepository,
} from './lock-project.ts'

// Each test starts git many times.
vi.setConfig({ testTimeout: 180_000 })

shareRepository()

describe('skills install --import', () => {
  it(
    'installs the skills of skills-lock.json, each from its own source',
    { tags: ['slow'] },
    async () => {
      const { run, writeForeign, readLock, skills } = createLockProject()
      writeForeign({
        greet: createForeignEntry('greet', { ref: 'main' }),
        bye: createForeignEntry('bye'),
      })
      const { code, stdout } = await run('install', '--import', '--yes')
      expect([code, stdout]).toEqual([0, expect.stringContaining('installed greet@0.1.0 sha256:')])
      expect(readLock().skills).toMatchObject([
        { name: 'demo.bye', source: 'github:owner/repo/skills/bye' },
        { name: 'demo.greet', source: 'github:owner/repo/skills/greet@main' },
      ])
      expect(existsSync(join(skills, 'greet/SKILL.md'))).toBe(true)
      expect(await run('verify')).toMatchObject({ code: 0 })
      const again = await run('install', '--import', '--json')
      expect([again.code, readSkills(again)['greet']]).toMatchObject([0, { status: 'current' }])
    },
  )

  it('is no consent: parks the skills with exit status 4, and accepts their digests', async () => {
    const { run, writeForeign, skills, lock } = createLockProject()
    writeForeign({ greet: createForeignEntry('greet'), bye: createForeignEntry('bye') })
    const pending = await run('install', '--import', '--json')
    expect(pending.code).toBe(4)
    expect([readdirSync(skills), existsSync(lock)]).toEqual([[], false])
    const { greet, bye } = readSkills(pending)
    expect([greet, bye]).toMatchObject([{ status: 'pending' }, { status: 'pending' }])
    const wrong = await run('install', '--import', '--trust', `sha256:${'0'.repeat(64)}`)
    expect([wrong.code, wrong.stderr]).toEqual([4, expect.stringContaining('No skill of the lock')])
    const trust = [greet, bye].flatMap((each) => ['--trust', String(each?.['tree'])])
    expect(await run('install', '--import', ...trust.slice(0, 2))).toMatchObject({ code: 4 })
    expect(existsSync(join(skills, 'bye'))).toBe(false)
    expect(await run('install', '--import', ...trust)).toMatchObject({ code: 0 })
    expect(await run('verify')).toMatchObject({ code: 0 })
  })

  it('lists entries that have no source here, and installs the others', async () => {
    const { run, writeForeign, readLock } = createLockProject()
    writeForeign({
      greet: createForeignEntry('greet'),
      notes: { source: 'x', sourceType: 'mintlify' },
      secret: createForeignEntry('secret', { skillPath: '../../etc/SKILL.md' }),
    })
    const { code, stdout } = await run('install', '--import', '--yes')
    expect(code).toBe(3)
    expect(stdout).toContain('not mapped notes: its sourceType "mintlify" is not known here')
    expect(stdout).toMatch(/not mapped secret: .*is not a folder of the repository/)
    expect(readLock().skills).toMatchObject([{ name: 'demo.greet' }])
  })

  it('continues after a source that cannot be fetched', { tags: ['slow'] }, async () => {
    const { run, writeForeign, readLock } = createLockProject()
    writeForeign({
      absent: createForeignEntry('absent'),
      greet: createForeignEntry('greet'),
      other: createForeignEntry('greet'),
    })
    const failed = await run('install', '--import', '--yes', '--json')
    expect(failed.code).toBe(3)
    expect(readSkills(failed)).toMatchObject({
      absent: { status: 'failed', error: { code: 'skill/not-found' } },
      greet: { status: 'installed' },
      // The source of another name is another skill.
      other: { status: 'failed', error: { code: 'skill/changed' } },
    })
    expect(readLock().skills).toHaveLength(1)
  })

  it('changes nothing with --dry-run', async () => {
    const { run, writeForeign, cwd, lock } = createLockProject()
    writeForeign({ greet: createForeignEntry('greet') })
    const { code, stdout } = await run('install', '--import', '--dry-run')
    expect([code, stdout]).toEqual([0, expect.stringContaining('would install greet@0.1.0')])
    expect([existsSync(lock), existsSync(join(cwd, '.agents'))]).toEqual([false, false])
  })

  it('obeys the sources that the configuration allows', async () => {
    const { run, writeForeign, cwd, lock } = createLockProject()
    writeFileSync(join(cwd, 'skills.config.toml'), '[install]\nsources = ["github:acme/*"]\n')
    writeForeign({ greet: createForeignEntry('greet') })
    const { code, stdout } = await run('install', '--import', '--yes')
    expect([code, stdout]).toEqual([1, expect.stringContaining('install.sources')])
    expect(existsSync(lock)).toBe(false)
  })

  it('reads the file of a user with --global, and its paths', { tags: ['slow'] }, async () => {
    const { run, home } = createLockProject()
    const skill = createFolder(createInstructionSkill('demo.local'))
    writeFileSync(join(skill, 'SKILL.md'), '---\nname: local\ndescription: x\n---\n')
    const entries = {
      greet: createForeignEntry('greet', {
        sourceUrl: 'https://github.com/owner/repo.git',
        skillFolderHash: 'a'.repeat(40),
        pinnedRef: 'main',
        installedAt: '2026-11-22T00:00:00Z',
      }),
      local: { source: skill, sourceType: 'local', sourceUrl: skill, skillFolderHash: '' },
    }
    mkdirSync(join(home, '.agents'))
    writeFileSync(
      join(home, '.agents/.skill-lock.json'),
      JSON.stringify({ version: 3, skills: entries, dismissed: {} }),
    )
    const missing = await run('install', '--import')
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining('There is no lock')])
    const done = await run('install', '--import', '--global', '--yes', '--json')
    expect([done.code, readSkills(done)]).toMatchObject([
      0,
      {
        greet: { status: 'installed', source: 'github:owner/repo/skills/greet@main', drift: true },
        local: { status: 'installed', source: skill, drift: null },
      },
    ])
    expect(await run('verify', '--global')).toMatchObject({ code: 0 })
  })

  it.each([
    ['a conflict', '<<<<<<< HEAD\n', 'line 1 is a conflict marker'],
    ['more than 1 MiB', ' '.repeat(1024 ** 2 + 1), 'more than 1048576 bytes'],
    ['no JSON', 'x', 'it is not JSON'],
  ])('refuses a file with %s', async (_, text, problem) => {
    const { run, cwd } = createLockProject()
    writeFileSync(join(cwd, 'skills-lock.json'), text)
    const { code, stderr } = await run('install', '--import', '--yes')
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  })

  it('refuses a file that is a device or a named pipe', async () => {
    const { run, cwd } = createLockProject()
    expect(await run('install', '--import', '/dev/zero')).toMatchObject({ code: 2 })
    spawnSync('mkfifo', [join(cwd, 'skills-lock.json')])
    const { code, stderr } = await run('install', '--import')
    expect([code, stderr]).toEqual([2, expect.stringContaining('not a regular file')])
  })

  it('reads no folder whose SKILL.md is a named pipe', async () => {
    const { run, cwd, writeForeign } = createLockProject()
    mkdirSync(join(cwd, 'pipe'))
    spawnSync('mkfifo', [join(cwd, 'pipe/SKILL.md')])
    writeForeign({ greet: { source: './pipe', sourceType: 'local' } })
    const { code, stdout } = await run('install', '--import', '--yes')
    expect([code, stdout]).toEqual([3, expect.stringContaining('has no skill of this name')])
  })

  it(
    'asks about each skill, and prints the results so far if it is cancelled',
    { tags: ['slow'] },
    async () => {
      const { cwd, home, writeForeign, readLock, env } = createLockProject()
      writeForeign({ bye: createForeignEntry('bye'), greet: createForeignEntry('greet') })
      const { code, stdout, stderr } = await typeAnswers(
        ['install', '--import'],
        { cwd, env: { HOME: home, ...env } },
        [
          ['Install demo.bye?', 'y'],
          ['Install demo.greet?', '\u0003'],
        ],
      )
      expect([code, stdout]).toEqual([130, expect.stringContaining('installed bye@0.1.0')])
      expect(stderr).toContain('"demo.greet" is not installed')
      expect(readLock().skills).toMatchObject([{ name: 'demo.bye', approved: { by: 'prompt' } }])
    },
  )
})

/** Runs on a simulated terminal, and types each answer when its prompt is shown. */
async function typeAnswers(
  argv: readonly string[],
  at: { cwd: string; env: Record<string, string> },
  answers: readonly (readonly [prompt: string, answer: string])[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const open = () => Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const [stdout, stderr] = [open(), open()]
  const stdin = Object.assign(open(), { setRawMode: () => {} })
  const texts = { stdout: '', stderr: '' }
  const left = [...answers]
  stdout.on('data', (chunk) => (texts.stdout += String(chunk)))
  stderr.on('data', (chunk) => {
    texts.stderr += String(chunk)
    const [prompt, answer] = left[0] ?? []
    if (prompt === undefined || !texts.stderr.includes(prompt)) return
    left.shift()
    // The prompt listens after it has drawn itself.
    setImmediate(() => stdin.write(answer))
  })
  const { CI: _, ...inherited } = { ...INHERITED_ENV, TERM: 'xterm' } as Record<string, string>
  const { signal } = new AbortController()
  const io = { cwd: at.cwd, env: { ...inherited, ...at.env }, stdin, stdout, stderr, signal }
  return { code: await runCommandLine(argv, io), ...texts }
}

describe('a folder that another tool installed', () => {
  it('is taken over if its files are those of the source', { tags: ['slow'] }, async () => {
    const { run, writeForeign, placeSkill, readLock } = createLockProject()
    writeForeign({ greet: createForeignEntry('greet') })
    const folder = placeSkill('greet')
    // Other tools copy files that are not installed here, and set other permissions.
    expect(existsSync(join(folder, '.gitignore'))).toBe(true)
    chmodSync(join(folder, 'references/words.md'), 0o755)
    const pending = await run('install', '--import', '--json')
    expect([pending.code, readSkills(pending)['greet']]).toMatchObject([4, { adopted: true }])
    const done = await run('install', '--import', '--yes')
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining('with the same files')])
    expect(readLock().skills).toMatchObject([{ name: 'demo.greet' }])
    expect(await run('verify')).toMatchObject({ code: 0 })
  })

  it('is taken over when the pending skill is approved', { tags: ['slow'] }, async () => {
    const { run, writeForeign, placeSkill } = createLockProject()
    writeForeign({ bye: createForeignEntry('bye') })
    placeSkill('bye')
    const pending = await run('install', '--import', '--json')
    const tree = String(readSkills(pending)['bye']?.['tree'])
    expect(await run('install', '--pending', 'demo.bye', '--trust', tree)).toMatchObject({
      code: 0,
    })
    expect(await run('verify')).toMatchObject({ code: 0 })
  })

  it.each([
    [
      'a changed file',
      (folder: string) => writeFileSync(join(folder, 'SKILL.md'), 'mine'),
      'changed SKILL.md',
    ],
    [
      'a file of its own',
      (folder: string) => writeFileSync(join(folder, 'mine.txt'), 'mine'),
      'extra mine.txt',
    ],
    [
      'a changed file that is not installed',
      (folder: string) => writeFileSync(join(folder, '.gitignore'), 'mine'),
      'changed .gitignore',
    ],
    [
      'a missing file',
      (folder: string) => rmSync(join(folder, 'skill.toml')),
      'missing skill.toml',
    ],
    [
      'a link',
      (folder: string) => {
        rmSync(join(folder, 'skill.toml'))
        symlinkSync('/etc/passwd', join(folder, 'skill.toml'))
      },
      'changed skill.toml',
    ],
  ])('with %s is kept as it is', async (_, change, difference) => {
    const { run, writeForeign, placeSkill, lock } = createLockProject()
    writeForeign({ greet: createForeignEntry('greet') })
    const folder = placeSkill('greet')
    change(folder)
    const { code, stdout } = await run('install', '--import', '--yes')
    expect([code, stdout.replace(/\s+/g, ' ')]).toEqual([3, expect.stringContaining(difference)])
    expect(existsSync(lock)).toBe(false)
    expect(await run('install', 'github:owner/repo/skills/greet', '--yes')).toMatchObject({
      code: 3,
    })
    expect(existsSync(folder)).toBe(true)
  })

  it('that is a link is kept', async () => {
    const { run, writeForeign, skills, repository } = createLockProject()
    writeForeign({ greet: createForeignEntry('greet') })
    mkdirSync(skills, { recursive: true })
    const target = join(repository.work, 'skills/greet')
    symlinkSync(target, join(skills, 'greet'))
    const { code, stdout } = await run('install', '--import', '--yes')
    expect([code, stdout.replace(/\s+/g, ' ')]).toEqual([3, expect.stringContaining('is a link')])
    expect(readFileSync(join(target, 'SKILL.md'), 'utf8')).toContain('greet')
  })
})
