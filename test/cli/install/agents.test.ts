import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createInstallProject, type InstallFixture } from '../../helpers/install-project.ts'
import { createFolder } from '../../helpers/skills.ts'

interface LinkedFixture extends InstallFixture {
  /** Place of the skill in the folder of Claude Code. */
  place: string
  lock: string
}

function createProject(): LinkedFixture {
  const project = createInstallProject()
  return {
    ...project,
    place: join(project.cwd, '.claude/skills/greet'),
    lock: join(project.cwd, 'skills.lock'),
  }
}

async function createLinked(...options: string[]): Promise<LinkedFixture> {
  const project = createProject()
  const argv = ['install', project.source, '--yes', '--agent', 'claude-code', ...options]
  expect(await project.run(...argv)).toMatchObject({ code: 0 })
  return project
}

const readAgents = (lock: string): unknown =>
  (JSON.parse(readFileSync(lock, 'utf8')) as { skills: { agents?: unknown }[] }).skills[0]?.agents

describe('skills install --agent', () => {
  it('links the skill into the folder of the agent, and records it', async () => {
    const { place, lock, run } = await createLinked()
    expect(readlinkSync(place)).toBe('../../.agents/skills/greet')
    expect(readFileSync(join(place, 'SKILL.md'), 'utf8')).toContain('greet')
    expect(readAgents(lock)).toEqual([{ agent: 'claude-code', mode: 'link' }])
    expect(await run('verify')).toMatchObject({ code: 0 })
    expect((await run('list')).stdout.match(/demo\.greet/g)).toHaveLength(1)
  })

  it('--copy copies the files with their modes', async () => {
    const { place, lock, cwd } = await createLinked('--copy')
    expect(lstatSync(place).isDirectory()).toBe(true)
    expect(readdirSync(place)).toEqual(readdirSync(join(cwd, '.agents/skills/greet')))
    expect(readAgents(lock)).toEqual([{ agent: 'claude-code', mode: 'copy' }])
  })

  it('needs no link for an agent that reads .agents/skills', async () => {
    const { run, cwd, source, lock } = createProject()
    const { code, stderr } = await run('install', source, '--yes', '--agent', 'codex')
    expect([code, stderr]).toEqual([0, expect.stringContaining('Codex reads .agents/skills')])
    expect(readAgents(lock)).toBeUndefined()
    expect(readdirSync(cwd).sort()).toEqual(['.agents', 'skills.config.toml', 'skills.lock'])
  })

  it('detects the agents of this machine, and accepts all and several', async () => {
    const { run, home, source, lock } = createProject()
    const install = ['install', source, '--yes']
    const none = await run(...install, '--agent', 'detected')
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('No agent is detected')])
    mkdirSync(join(home, '.kiro'))
    expect(await run(...install, '--agent', 'detected')).toMatchObject({ code: 0 })
    expect(readAgents(lock)).toEqual([{ agent: 'kiro-cli', mode: 'link' }])
    await run(...install, '--agent', 'roo', '--agent', 'claude-code')
    expect(readAgents(lock)).toMatchObject([
      { agent: 'claude-code' },
      { agent: 'kiro-cli' },
      { agent: 'roo' },
    ])
    expect(await run(...install, '--agent', 'all')).toMatchObject({ code: 0 })
    expect(await run('verify')).toMatchObject({ code: 0 })
  })

  it('is offered for an agent of the project, which would not find the skill otherwise', async () => {
    const { run, source, cwd, place } = createProject()
    mkdirSync(join(cwd, '.claude'))
    const install = ['install', source, '--yes']
    const offer =
      'Claude Code does not read .agents/skills: link the skill with --agent claude-code'
    expect((await run(...install)).stderr).toContain(offer)
    expect(existsSync(place)).toBe(false)
    const linked = await run(...install, '--agent', 'claude-code')
    expect(linked.stdout).toContain('link .claude/skills/greet')
    expect((await run(...install)).stderr).not.toContain('does not read')
    const { stderr } = await run('list')
    expect(stderr).not.toContain('unreadable')
  })

  it('refuses an unknown agent, and --copy without one', async () => {
    const { run, source, cwd } = createProject()
    expect(await run('install', source, '--yes', '--agent', 'emacs')).toMatchObject({ code: 2 })
    expect(await run('install', source, '--yes', '--copy')).toMatchObject({ code: 2 })
    expect(existsSync(join(cwd, '.agents/skills/greet'))).toBe(false)
  })

  it('without a source adds a link to all installed skills', async () => {
    const { run, source, place } = createProject()
    await run('install', source, '--yes')
    expect(await run('install', '--agent', 'claude-code')).toMatchObject({ code: 0 })
    expect(lstatSync(place).isSymbolicLink()).toBe(true)
  })

  it('replaces a link by a copy, and a copy by a link', async () => {
    const { run, place } = await createLinked()
    expect(await run('install', '--agent', 'claude-code', '--copy')).toMatchObject({ code: 0 })
    expect(lstatSync(place).isDirectory()).toBe(true)
    expect(await run('install', '--agent', 'claude-code')).toMatchObject({ code: 0 })
    expect(lstatSync(place).isSymbolicLink()).toBe(true)
    expect(await run('verify')).toMatchObject({ code: 0 })
  })

  it('of the user creates the link in the folder that a variable names', async () => {
    const { run, runWith, home, source } = createProject()
    const moved = createFolder()
    const env = { CLAUDE_CONFIG_DIR: moved }
    const argv = ['install', source, '--yes', '--global', '--agent', 'claude-code']
    expect(await runWith({ env }, ...argv)).toMatchObject({ code: 0 })
    expect(realpathSync(join(moved, 'skills/greet'))).toBe(
      realpathSync(join(home, '.agents/skills/greet')),
    )
    expect(await run(...argv)).toMatchObject({ code: 0 })
    expect(readlinkSync(join(home, '.claude/skills/greet'))).toBe('../../.agents/skills/greet')
  })

  it('follows links in the home folder, and none that leaves it', async () => {
    const { run, home, source } = createProject()
    mkdirSync(join(home, 'dotfiles/claude'), { recursive: true })
    symlinkSync('dotfiles/claude', join(home, '.claude'))
    const argv = ['install', source, '--yes', '--global', '--agent', 'claude-code']
    expect(await run(...argv)).toMatchObject({ code: 0 })
    expect(existsSync(join(home, 'dotfiles/claude/skills/greet/SKILL.md'))).toBe(true)
    rmSync(join(home, '.claude'))
    const outside = createFolder()
    symlinkSync(outside, join(home, '.claude'))
    expect(await run(...argv)).toMatchObject({ code: 3 })
    expect(readdirSync(outside)).toEqual([])
  })

  it('needs no link if the folder of the agent is a link to the shared one', async () => {
    const { run, cwd, source, lock } = createProject()
    mkdirSync(join(cwd, '.agents/skills'), { recursive: true })
    mkdirSync(join(cwd, '.claude'))
    symlinkSync('../.agents/skills', join(cwd, '.claude/skills'))
    expect(await run('install', source, '--yes', '--agent', 'claude-code')).toMatchObject({
      code: 0,
    })
    expect(readAgents(lock)).toBeUndefined()
  })
})

describe('the setting install.agents', () => {
  it('links for agents without the option, which replaces it', async () => {
    const { run, cwd, home, source, lock } = createProject()
    writeFileSync(
      join(cwd, 'skills.config.toml'),
      '[install]\nagents = ["claude-code", "detected"]\n',
    )
    mkdirSync(join(home, '.roo'))
    expect(await run('install', source, '--yes')).toMatchObject({ code: 0 })
    expect(readAgents(lock)).toMatchObject([{ agent: 'claude-code' }, { agent: 'roo' }])
    await run('remove', 'demo.greet')
    expect(await run('install', source, '--yes', '--agent', 'kiro-cli')).toMatchObject({ code: 0 })
    expect(readAgents(lock)).toMatchObject([{ agent: 'kiro-cli' }])
    writeFileSync(join(cwd, 'skills.config.toml'), '[install]\nagents = ["nobody"]\n')
    const { code, stderr } = await run('install', source, '--yes')
    expect([code, stderr]).toEqual([2, expect.stringContaining('"nobody" is not a known agent')])
  })

  it('links once for two agents that read one folder', async () => {
    const { run, source, lock } = createProject()
    await run('install', source, '--yes', '--agent', 'trae', '--agent', 'trae-cn')
    expect(readAgents(lock)).toEqual([{ agent: 'trae', mode: 'link' }])
  })
})

describe('a linked folder .agents', () => {
  it('is followed inside the project, and inside the home folder for --global', async () => {
    const { run, cwd, home, source } = createProject()
    for (const [base, ...options] of [[cwd], [home, '--global']] as const) {
      mkdirSync(join(base, 'sync'))
      symlinkSync('sync', join(base, '.agents'))
      expect(await run('install', source, '--yes', ...options)).toMatchObject({ code: 0 })
      expect(existsSync(join(base, 'sync/skills/greet/SKILL.md'))).toBe(true)
      expect(await run('verify', ...options)).toMatchObject({ code: 0 })
    }
    expect((await run('list')).stdout).toContain('demo.greet')
    expect(await run('remove', 'demo.greet')).toMatchObject({ code: 0 })
    expect(readdirSync(join(cwd, 'sync/skills'))).toEqual([])
  })

  it.each(['.git', '..', '../other', 'file.txt'])('that leads to %s is refused', async (target) => {
    const { run, cwd, source } = createProject()
    mkdirSync(join(cwd, '.git'))
    mkdirSync(join(cwd, '../other'))
    writeFileSync(join(cwd, 'file.txt'), '')
    symlinkSync(target, join(cwd, '.agents'))
    const { code, stderr } = await run('install', source, '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('is a link or a file')])
  })
})

describe('files at the place of a link', () => {
  it.each([
    ['a folder', (place: string) => mkdirSync(place, { recursive: true })],
    ['a file', (place: string) => writeFileSync(place, 'mine')],
    ['a link to other files', (place: string) => symlinkSync('/etc', place)],
  ])('%s is neither overwritten nor removed', async (_, create) => {
    const { run, cwd, source, place } = createProject()
    mkdirSync(join(place, '..'), { recursive: true })
    create(place)
    const before = lstatSync(place).ino
    const { code, stderr } = await run('install', source, '--yes', '--agent', 'claude-code')
    expect([code, stderr]).toEqual([3, expect.stringContaining('is not what was installed')])
    // The refusal precedes every change.
    expect(existsSync(join(cwd, '.agents/skills/greet'))).toBe(false)
    expect(lstatSync(place).ino).toBe(before)
  })

  it('that replaced the link are reported, and kept by remove', async () => {
    const { run, place } = await createLinked()
    rmSync(place)
    symlinkSync('/etc', place)
    const { code, stdout } = await run('verify')
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('changed link .claude/skills/greet'),
    ])
    expect(await run('install', '--frozen')).toMatchObject({ code: 3 })
    expect(await run('remove', 'demo.greet')).toMatchObject({ code: 0 })
    expect(readlinkSync(place)).toBe('/etc')
  })

  it.each(['.claude', '.claude/skills'])(
    'are not created through a link %s that leaves the project',
    async (folder) => {
      const { run, cwd, source, place } = createProject()
      const outside = createFolder({ 'skills/.keep': '' })
      mkdirSync(join(cwd, folder, '..'), { recursive: true })
      symlinkSync(folder === '.claude' ? outside : join(outside, 'skills'), join(cwd, folder))
      const argv = ['install', source, '--yes', '--agent', 'claude-code'] as const
      const { code, stderr } = await run(...argv)
      expect([code, stderr]).toEqual([3, expect.stringContaining('through links')])
      expect(readdirSync(join(outside, 'skills'))).toEqual(['.keep'])
      // The control: a program that only joins the path writes outside of the project.
      symlinkSync('../../.agents/skills/greet', place)
      expect(readdirSync(join(outside, 'skills'))).toContain('greet')
    },
  )

  it('behind a link that was made later are reported, and not removed', async () => {
    const { run, cwd } = await createLinked('--copy')
    const outside = createFolder()
    cpSync(join(cwd, '.claude/skills'), join(outside, 'skills'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    rmSync(join(cwd, '.claude'), { recursive: true })
    symlinkSync(outside, join(cwd, '.claude'))
    const { code, stdout } = await run('verify')
    expect([code, stdout]).toEqual([1, expect.stringContaining('outside copy claude-code')])
    expect(await run('remove', 'demo.greet')).toMatchObject({ code: 3 })
    expect(existsSync(join(outside, 'skills/greet/SKILL.md'))).toBe(true)
  })
})

describe('the agents of a lock', () => {
  it.each([
    ['a path', [{ agent: '../../etc', mode: 'link' }], 'an agent that is known'],
    ['a folder', [{ agent: 'claude-code', mode: 'link', folder: '/etc' }], 'one of the keys'],
    ['an agent twice', ['link', 'copy'].map((mode) => ({ agent: 'roo', mode })), 'each agent once'],
    ['another mode', [{ agent: 'claude-code', mode: 'move' }], 'link or copy'],
  ])('with %s are refused', async (_, agents, problem) => {
    const { run, lock } = await createLinked()
    const text = JSON.parse(readFileSync(lock, 'utf8')) as { skills: object[] }
    const skills = text.skills.map((skill) => ({ ...skill, agents }))
    writeFileSync(lock, JSON.stringify({ ...text, skills }))
    const { code, stderr } = await run('verify')
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  })

  it('are restored by install, with and without --frozen', async () => {
    const { run, place } = await createLinked()
    for (const option of [[], ['--frozen']]) {
      rmSync(place)
      const { code, stdout } = await run('verify')
      expect([code, stdout]).toEqual([1, expect.stringContaining('missing link')])
      expect(await run('install', ...option)).toMatchObject({ code: 0 })
      expect(await run('verify')).toMatchObject({ code: 0 })
    }
  })

  it('survive an update, which replaces unchanged copies and refuses changed ones', async () => {
    const { run, cwd, source, place } = await createLinked('--copy')
    writeFileSync(join(cwd, source, 'extra.txt'), 'new')
    expect(await run('install', source, '--yes')).toMatchObject({ code: 0 })
    expect(readFileSync(join(place, 'extra.txt'), 'utf8')).toBe('new')
    expect(await run('verify')).toMatchObject({ code: 0 })
    writeFileSync(join(place, 'notes.txt'), 'mine')
    writeFileSync(join(cwd, source, 'extra.txt'), 'newer')
    expect(await run('install', source, '--yes')).toMatchObject({ code: 3 })
    expect(readFileSync(join(place, 'notes.txt'), 'utf8')).toBe('mine')
    expect(readFileSync(join(cwd, '.agents/skills/greet/extra.txt'), 'utf8')).toBe('new')
  })
})

describe('skills remove', () => {
  it.each([[[]], [['--copy']]])('takes the place of an agent away %j', async (options) => {
    const { run, place } = await createLinked(...options)
    expect(await run('remove', 'demo.greet')).toMatchObject({ code: 0 })
    expect(lstatSync(place, { throwIfNoEntry: false })).toBeUndefined()
  })

  it('keeps a copy that was changed', async () => {
    const { run, place } = await createLinked('--copy')
    writeFileSync(join(place, 'notes.txt'), 'mine')
    const { code, stderr } = await run('remove', 'demo.greet')
    expect([code, stderr]).toEqual([0, expect.stringContaining('.claude/skills/greet is kept')])
    expect(readFileSync(join(place, 'notes.txt'), 'utf8')).toBe('mine')
  })
})
