import { describe, expect, it } from 'vitest'
import { runGit } from '../helpers/git-repository.ts'
import { createTextSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

/** A folder `greet` that no root lists, with a skill of this name. */
function createProject() {
  const cwd = createFolder(prefixPaths('greet', createTextSkill('greet')))
  runGit(cwd, 'init', '--quiet', '--initial-branch=main')
  runGit(cwd, 'add', '--all')
  runGit(cwd, 'commit', '--quiet', '--message=first')
  return cwd
}

describe('the name of a folder here names its skill', () => {
  it.each([
    [['pack', 'greet', '--dry-run']],
    [['lint', 'greet', '--max-warnings', '9']],
    [['info', 'greet']],
    [['describe', 'greet']],
    [['read', 'greet', 'SKILL.md']],
    [['info', '--digest', 'greet']],
    [['diff', 'greet']],
    [['install', 'greet', '--yes']],
  ])('%s', async (argv) => {
    expect(await runSkills(argv, { cwd: createProject() })).toMatchObject({ code: 0 })
  })

  it('sign, verify and publish read the same folder', async () => {
    const cwd = createProject()
    const env = { HOME: createFolder() }
    const run = async (...argv: string[]) => await runSkills(argv, { cwd, env })
    expect(await run('keys', 'new', 'work')).toMatchObject({ code: 0 })
    expect(await run('sign', 'greet', '--key', 'work')).toMatchObject({ code: 0 })
    expect((await run('verify', 'greet')).stdout).toContain('untrusted greet@0.1.0')
    const publish = ['publish', 'greet', '--to', 'site:./public', '--dry-run', '--no-tests']
    expect(await run(...publish)).toMatchObject({ code: 0 })
  })

  it('the name of a skill comes first', async () => {
    const cwd = createFolder({
      ...prefixPaths('skills/one', createTextSkill('greet')),
      ...prefixPaths('greet', createTextSkill('other')),
    })
    const { stdout } = await runSkills(['describe', 'greet'], { cwd })
    expect(stdout).toMatch(/^greet 0\.1\.0/)
  })

  it('a folder without a skill is not one', async () => {
    const cwd = createFolder({ 'greet/a.txt': '' })
    const { code, stderr } = await runSkills(['pack', 'greet', '--dry-run'], { cwd })
    expect([code, stderr]).toEqual([3, expect.stringContaining('Unknown skill "greet"')])
  })
})
