// @module-tag slow
import { answerPrompts } from '../../helpers/answer-prompts.ts'
import { rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { createInstructionSkill, createTextSkill, prefixPaths } from '../../helpers/projects.ts'
import { createRemoteProject } from '../../helpers/remote-project.ts'
import { createFolder, writeTree, type Tree } from '../../helpers/skills.ts'

const MANY = {
  ...prefixPaths('skills/greet', createInstructionSkill('demo.greet')),
  ...prefixPaths('.claude/skills/bye', createTextSkill('bye')),
  ...prefixPaths('docs/a/deep/wave', createTextSkill('wave')),
  ...prefixPaths('test/skills/case', createTextSkill('case')),
  ...prefixPaths('node_modules/x/skills/dep', createTextSkill('dep')),
}

/** A project for which github.com/owner/repo is a repository of this machine. */
function createGithubProject(tree: Tree) {
  const repository = createGitRepository(tree)
  const owner = join(createFolder(), 'owner')
  symlinkSync(dirname(repository.gitDir), owner)
  const env = { SKILLS_GITHUB_URL: `file://${dirname(owner)}` }
  const project = createRemoteProject(env)
  const sources = () => project.readLock().skills.map(({ source }) => source)
  return { ...project, ...repository, env, sources }
}

describe('skills install owner/repo', () => {
  it.each([
    'owner/repo/skills/greet@main',
    'https://github.com/owner/repo/tree/main/skills/greet',
    'https://github.com/owner/repo/blob/main/skills/greet/SKILL.md',
  ])('%s is locked as a source of GitHub', async (source) => {
    const project = createGithubProject(MANY)
    expect(await project.run('install', source, '--yes')).toMatchObject({ code: 0 })
    expect(project.sources()).toEqual(['github:owner/repo/skills/greet@main'])
  })

  it.each(['owner/repo', 'https://github.com/owner/repo', 'https://github.com/owner/repo.git'])(
    '%s installs the only skill, with its folder as the source',
    async (source) => {
      const project = createGithubProject(prefixPaths('a/b/greet', createTextSkill('greet')))
      expect(await project.run('install', source, '--yes')).toMatchObject({ code: 0 })
      expect(project.sources()).toEqual(['github:owner/repo/a/b/greet'])
    },
  )

  it('a folder of this name comes first', async () => {
    const project = createGithubProject(MANY)
    writeTree(project.cwd, prefixPaths('owner/repo', createTextSkill('local')))
    expect(await project.run('install', 'owner/repo', '--yes')).toMatchObject({ code: 0 })
    expect(project.sources()).toEqual(['owner/repo'])
  })

  it('without a terminal, several skills are listed with what to type', async () => {
    const project = createGithubProject(MANY)
    const text = '---\nname: evil\ndescription: "\\e[31mred"\n---\n'
    project.commit({ 'skills/evil/SKILL.md': text })
    const { code, stderr, json } = await project.run('install', 'owner/repo', '--json')
    expect(stderr).toMatch(/evil +.*red/)
    expect(stderr).not.toContain('\u001b[31mred')
    expect(code).toBe(3)
    expect(stderr).toMatch(/demo\.greet +Greets somebody\./)
    expect(stderr).toContain('skills install github:owner/repo --skill evil')
    expect(stderr).toContain('It has evil, demo.greet, bye')
    const source = 'github:owner/repo/.claude/skills/bye'
    expect(json()).toMatchObject({
      error: {
        data: { skills: [{ name: 'evil' }, { name: 'demo.greet' }, { name: 'bye', source }] },
      },
    })
  })

  it.each([[['--skill', 'greet', '--skill', 'bye']], [['demo.greet', 'bye']], [['--all']]])(
    '%s installs two skills, each with its source',
    async (choice) => {
      const project = createGithubProject(MANY)
      const installed = await project.run('install', 'owner/repo', ...choice, '--yes')
      expect(installed).toMatchObject({ code: 0 })
      expect(project.sources()).toEqual([
        'github:owner/repo/.claude/skills/bye',
        'github:owner/repo/skills/greet',
      ])
      rmSync(project.skills, { recursive: true })
      expect(await project.run('install', '--frozen')).toMatchObject({ code: 0 })
      expect(await project.run('verify')).toMatchObject({ code: 0 })
    },
  )

  it('--skill also finds a skill in an unusual folder, and none in tests', async () => {
    const project = createGithubProject(MANY)
    const named = await project.run('install', 'owner/repo', '--skill', 'wave', '--yes')
    expect(named).toMatchObject({ code: 0 })
    const { code, stderr } = await project.run('install', 'owner/repo', '--skill', 'case', '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('it has no skill "case"')])
    expect(stderr).not.toContain('dep')
  })

  it('an update keeps the skill after the repository gets another one', async () => {
    const project = createGithubProject(prefixPaths('skills/greet', createTextSkill('greet')))
    await project.run('install', 'owner/repo', '--yes')
    project.commit({
      ...prefixPaths('skills/greet', createTextSkill('greet', '0.2.0')),
      ...prefixPaths('skills/bye', createTextSkill('bye')),
    })
    expect(await project.run('update', '--yes')).toMatchObject({ code: 0 })
    expect(project.readLock().skills).toMatchObject([{ name: 'greet', version: '0.2.0' }])
  })

  it('without a consent, each skill is pending', async () => {
    const project = createGithubProject(MANY)
    const { code, stdout } = await project.run('install', 'owner/repo', '--all')
    expect(code).toBe(4)
    expect(stdout.match(/skills install --pending [\w.]+ --trust sha256:/g)).toHaveLength(2)
    expect((await project.run('install', '--pending')).stdout).toMatch(
      /demo\.greet[^]*bye|bye[^]*demo\.greet/,
    )
  })

  it('a skill that is refused does not stop the others', async () => {
    const project = createGithubProject(MANY)
    symlinkSync('/etc/passwd', join(project.work, '.claude/skills/bye/secret'))
    project.commit({})
    const { code, json } = await project.run('install', 'owner/repo', '--all', '--yes', '--json')
    expect(code).toBe(3)
    expect(json()).toMatchObject({
      installed: [{ name: 'demo.greet' }],
      failed: [{ error: { message: expect.stringContaining('symbolic link') } }],
    })
  })

  it.each([
    [['owner/'], 'there is no such folder'],
    [['owner/repo/../x'], 'is not a folder of the repository'],
    [['owner/repo', '--all', '--skill', 'x'], 'exclude each other'],
    [['owner/repo', '--all', '--trust', `sha256:${'0'.repeat(64)}`], 'the digest of one skill'],
    [['--all'], '--all needs the source'],
    [['.', '--all'], 'is the source of one skill'],
    [['https://github.com/owner/repo/blob/main/README.md'], 'is not a SKILL.md'],
  ])('%s is refused', async (argv, problem) => {
    const project = createGithubProject(MANY)
    const { code, stderr } = await project.run('install', ...argv, '--yes')
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)])
  })

  it('the name of a skill after "@" is one if there is no such reference', async () => {
    const project = createGithubProject(MANY)
    expect(await project.run('install', 'owner/repo@greet', '--yes')).toMatchObject({ code: 0 })
    const { code, stderr } = await project.run('install', 'owner/repo@absent', '--yes')
    expect([code, stderr]).toEqual([3, expect.stringContaining('is named by --skill')])
  })

  it('a rule about sources is checked before the repository is read', async () => {
    const project = createGithubProject(MANY)
    writeTree(project.cwd, {
      'skills.config.toml': '[install]\nsources = ["github:other/*"]\n',
    })
    const { code, stderr } = await project.run('install', 'owner/absent', '--all', '--yes')
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not allowed')])
  })

  it('a terminal asks for the skills and for each consent', async () => {
    const project = createGithubProject(MANY)
    const { code, unasked } = await answerPrompts(['install', 'owner/repo'], {
      cwd: project.cwd,
      env: { HOME: project.home, ...project.env },
      answers: [
        ['Skills of github:owner/repo', ' \u001b[B \r'],
        ['Install demo.greet?', 'y'],
        ['Install bye?', 'y'],
      ],
    })
    expect([code, unasked]).toEqual([0, []])
    expect(project.sources()).toHaveLength(2)
  })
})
