// @module-tag slow
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createInstallProject, type InstallFixture } from '../../helpers/install-project.ts'
import { createFolder } from '../../helpers/skills.ts'

interface RepairFixture extends InstallFixture {
  /** Folder of the installed skill. */
  folder: string
  /** Its link in the folder of Claude Code. */
  link: string
}

async function createInstalled(...options: string[]): Promise<RepairFixture> {
  const project = createInstallProject()
  const argv = ['install', project.source, '--yes', '--agent', 'claude-code', ...options]
  expect(await project.run(...argv)).toMatchObject({ code: 0 })
  return {
    ...project,
    folder: join(project.cwd, '.agents/skills/greet'),
    link: join(project.cwd, '.claude/skills/greet'),
  }
}

type Damage = (fixture: RepairFixture) => void

/** Damage, and the line with which verify reports it. A repair replaces nothing. */
const LOSSES: readonly (readonly [string, Damage, string])[] = [
  ['a deleted skill', ({ folder }) => rmSync(folder, { recursive: true }), 'missing demo'],
  [
    'a deleted .agents',
    ({ cwd }) => rmSync(join(cwd, '.agents'), { recursive: true }),
    'missing demo',
  ],
  ['a deleted link of an agent', ({ link }) => rmSync(link), 'missing link .claude'],
  [
    'a deleted folder of an agent',
    ({ cwd }) => rmSync(join(cwd, '.claude'), { recursive: true }),
    'missing link .claude',
  ],
]

/** Damage that a repair replaces, and so asks for --yes. */
const CHANGES: readonly (readonly [string, Damage, string])[] = [
  [
    'a deleted file',
    ({ folder }) => rmSync(join(folder, 'references/words.md')),
    'missing references/words.md',
  ],
  [
    'a changed file',
    ({ folder }) => writeFileSync(join(folder, 'references/words.md'), 'print(1)\n'),
    'changed references/words.md',
  ],
  [
    'a changed permission',
    ({ folder }) => chmodSync(join(folder, 'references/words.md'), 0o755),
    'changed references/words.md',
  ],
  ['an added file', ({ folder }) => writeFileSync(join(folder, 'x.sh'), ''), 'extra x.sh'],
  [
    'an added file with a hidden name',
    ({ folder }) => writeFileSync(join(folder, 'references/.x'), ''),
    'extra references/.x',
  ],
  [
    'a file replaced by a link to the same content',
    ({ folder, cwd, source }) => {
      rmSync(join(folder, 'SKILL.md'))
      symlinkSync(join(cwd, source, 'SKILL.md'), join(folder, 'SKILL.md'))
    },
    'changed SKILL.md',
  ],
  [
    'a file replaced by a folder',
    ({ folder }) => {
      rmSync(join(folder, 'SKILL.md'))
      mkdirSync(join(folder, 'SKILL.md'))
    },
    'missing SKILL.md',
  ],
  [
    'a folder replaced by a link',
    ({ folder, cwd, source }) => {
      rmSync(join(folder, 'references'), { recursive: true })
      symlinkSync(join(cwd, source, 'references'), join(folder, 'references'))
    },
    'extra references',
  ],
  [
    'a named pipe',
    ({ folder }) => void spawnSync('mkfifo', [join(folder, 'pipe')]),
    '"pipe" is not a regular file',
  ],
  [
    'a skill replaced by a link',
    ({ folder, cwd, source }) => {
      rmSync(folder, { recursive: true })
      symlinkSync(join(cwd, source), folder)
    },
    'link demo',
  ],
  [
    'a skill replaced by a file',
    ({ folder }) => {
      rmSync(folder, { recursive: true })
      writeFileSync(folder, 'x')
    },
    'link demo',
  ],
]

async function expectIntact({ run, folder, link, cwd, source }: RepairFixture): Promise<void> {
  const { code, stdout } = await run('verify')
  expect([code, stdout]).toEqual([0, expect.stringContaining('unchanged demo.greet')])
  expect(lstatSync(folder).isDirectory()).toBe(true)
  for (const file of ['SKILL.md', 'skill.toml', 'references/words.md']) {
    expect(readFileSync(join(link, file), 'utf8')).toBe(
      readFileSync(join(cwd, source, file), 'utf8'),
    )
  }
}

describe('skills verify reports, and skills install repairs', () => {
  it.each(LOSSES)('%s', async (_, damage, line) => {
    const fixture = await createInstalled()
    await expectIntact(fixture)
    damage(fixture)
    const { code, stdout } = await fixture.run('verify')
    expect([code, stdout]).toEqual([1, expect.stringContaining(line)])
    expect(await fixture.run('install')).toMatchObject({ code: 0 })
    await expectIntact(fixture)
  })

  it.each(CHANGES)('%s, with --yes', async (_, damage, line) => {
    const fixture = await createInstalled()
    damage(fixture)
    const { code, stdout } = await fixture.run('verify')
    expect([code, stdout]).toEqual([1, expect.stringContaining(line)])
    const refused = await fixture.run('install')
    expect(refused.code).toBe(3)
    expect(refused.stderr.replace(/\s+/g, ' ')).toContain('skills install --yes')
    expect(await fixture.run('install', '--yes')).toMatchObject({ code: 0 })
    await expectIntact(fixture)
  })

  it('a deleted and a changed copy of an agent', async () => {
    const fixture = await createInstalled('--copy')
    const { run, link } = fixture
    rmSync(link, { recursive: true })
    expect((await run('verify')).stdout).toContain('missing copy .claude/skills/greet')
    expect(await run('install')).toMatchObject({ code: 0 })
    await expectIntact(fixture)
    writeFileSync(join(link, 'SKILL.md'), 'mine')
    const { code, stdout } = await run('verify')
    expect([code, stdout]).toEqual([1, expect.stringContaining('changed copy .claude')])
    // Files of the user at the place of a copy are never replaced.
    expect(await run('install', '--yes')).toMatchObject({ code: 3 })
    expect(readFileSync(join(link, 'SKILL.md'), 'utf8')).toBe('mine')
    rmSync(link, { recursive: true })
    expect(await run('install')).toMatchObject({ code: 0 })
    await expectIntact(fixture)
  })

  it('a link of an agent that leads elsewhere is reported, and kept', async () => {
    const fixture = await createInstalled()
    const { run, link } = fixture
    const outside = createFolder({ 'SKILL.md': 'other' })
    rmSync(link)
    symlinkSync(outside, link)
    const { code, stdout } = await run('verify')
    expect([code, stdout]).toEqual([1, expect.stringContaining('changed link .claude')])
    expect(await run('install', '--frozen')).toMatchObject({ code: 3 })
    expect(await run('install', '--yes')).toMatchObject({ code: 3 })
    expect([readlinkSync(link), existsSync(join(outside, 'SKILL.md'))]).toEqual([outside, true])
    rmSync(link)
    expect(await run('install')).toMatchObject({ code: 0 })
    await expectIntact(fixture)
  })

  it('several kinds of damage at once', async () => {
    const fixture = await createInstalled()
    for (const [, damage] of CHANGES.slice(1, 6)) damage(fixture)
    rmSync(fixture.link)
    const { code, stdout } = await fixture.run('verify')
    expect(code).toBe(1)
    for (const line of ['changed SKILL.md', 'extra x.sh', 'missing link .claude']) {
      expect(stdout).toContain(line)
    }
    expect(await fixture.run('install', '--yes')).toMatchObject({ code: 0 })
    await expectIntact(fixture)
  })

  it('nothing that the source does not have any more', async () => {
    const fixture = await createInstalled()
    const { run, folder, cwd, source } = fixture
    rmSync(join(folder, 'references/words.md'))
    writeFileSync(join(cwd, source, 'SKILL.md'), '# Other\n')
    const { code, stderr } = await run('install', '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('expected sha256:')])
    expect((await run('verify')).stdout).toContain('missing references/words.md')
  })
})
