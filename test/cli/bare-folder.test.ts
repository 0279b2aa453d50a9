import { describe, expect, it } from 'vitest'
import { runGit } from '../helpers/git-repository.ts'
import { createActionSkill, createInstructionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

/** A folder `hello` that no root lists, with the skill demo.greet. */
function createProject() {
  const cwd = createFolder(prefixPaths('hello', createInstructionSkill('demo.greet')))
  runGit(cwd, 'init', '--quiet', '--initial-branch=main')
  runGit(cwd, 'add', '--all')
  runGit(cwd, 'commit', '--quiet', '--message=first')
  return cwd
}

describe('the name of a folder here names its skill', () => {
  it.each([
    [['pack', 'hello', '--dry-run']],
    [['lint', 'hello']],
    [['info', 'hello']],
    [['describe', 'hello']],
    [['read', 'hello', 'SKILL.md']],
    [['digest', 'hello']],
    [['diff', 'hello']],
    [['install', 'hello', '--yes']],
  ])('%s', async (argv) => {
    expect(await runSkills(argv, { cwd: createProject() })).toMatchObject({ code: 0 })
  })

  it('sign, verify and publish read the same folder', async () => {
    const cwd = createProject()
    const env = { HOME: createFolder() }
    const run = async (...argv: string[]) => await runSkills(argv, { cwd, env })
    expect(await run('keys', 'create', 'work')).toMatchObject({ code: 0 })
    expect(await run('sign', 'hello', '--key', 'work')).toMatchObject({ code: 0 })
    const verified = await run('verify', 'hello')
    expect(verified.stdout + verified.stderr).toContain('demo.greet')
    const published = await run('publish', 'hello', '--to', 'site', '--dry-run', '--no-tests')
    expect(published.stderr).not.toContain('Unknown skill')
  })

  it('the name of a skill comes first', async () => {
    const cwd = createFolder({
      ...prefixPaths('skills/one', createActionSkill('greet')),
      ...prefixPaths('greet', createInstructionSkill('demo.other')),
    })
    const { stdout } = await runSkills(['describe', 'greet'], { cwd })
    expect(stdout).not.toContain('demo.other')
  })

  it('a folder without a skill is not one', async () => {
    const cwd = createFolder({ 'hello/a.txt': '' })
    const { code, stderr } = await runSkills(['pack', 'hello', '--dry-run'], { cwd })
    expect([code, stderr]).toEqual([3, expect.stringContaining('Unknown skill "hello"')])
  })
})
