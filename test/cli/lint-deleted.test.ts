// @module-tag slow
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createExampleMarkdown } from '../../src/core/lint/example-skill.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const createSkill = (name: string, body = '') =>
  createExampleMarkdown(
    `name: ${name}\ndescription: Greets ${name} by name.\n`,
    `# ${name}\n\n${body}`,
  )

function git(cwd: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org']
  execFileSync('git', [...identity, ...args], { cwd, stdio: 'pipe' })
}

/** Creates a repository with one commit, then deletes files in its index and work tree. */
function createRepository(...deleted: string[]): string {
  const cwd = createFolder({
    'skills/linked/SKILL.md': createSkill('linked', 'See [notes](references/notes.md).\n'),
    'skills/linked/references/notes.md': 'Notes\n',
    'skills/other/SKILL.md': createSkill('other', 'See [it](missing.md).\n'),
    'skills/other/references/more.md': 'More\n',
    'docs/readme.md': 'Text\n',
  })
  git(cwd, 'init', '--quiet')
  git(cwd, 'add', '--all')
  git(cwd, 'commit', '--quiet', '--message=first')
  if (deleted.length > 0) git(cwd, 'rm', '--quiet', ...deleted)
  return cwd
}

async function lintDeleted(cwd: string, args: string[] = [], env: Record<string, string> = {}) {
  const done = await runSkills(['lint', '--skip-outside', '--deleted', '--json', ...args], {
    cwd,
    env,
  })
  const { summary, findings } = done.json() as {
    summary: { skills: number }
    findings: { rule: string; path: string }[]
  }
  return { ...summary, found: findings.map(({ rule, path }) => `${path} ${rule}`) }
}

describe('skills lint --deleted', () => {
  it('checks the skill whose link a deletion breaks, and no other', async () => {
    const cwd = createRepository('skills/linked/references/notes.md')
    const { skills, found } = await lintDeleted(cwd)
    expect(skills).toBe(1)
    expect(found).toEqual(['skills/linked/SKILL.md docs/broken-link'])
  })

  it('reports a skill that lost its SKILL.md but not its other files', async () => {
    const { found } = await lintDeleted(createRepository('skills/linked/SKILL.md'))
    expect(found).toEqual(['skills/linked/SKILL.md files/missing-skill-md'])
  })

  it('reports nothing for a skill that is deleted as a whole, or for files outside of skills', async () => {
    const cwd = createRepository('-r', 'skills/linked', 'docs/readme.md')
    expect(await lintDeleted(cwd)).toMatchObject({ skills: 0, found: [] })
  })

  it('adds to the named paths', async () => {
    const cwd = createRepository('skills/linked/references/notes.md')
    const { skills } = await lintDeleted(cwd, ['skills/other/SKILL.md'])
    expect(skills).toBe(2)
  })

  it('compares two revisions under pre-commit', async () => {
    const cwd = createRepository('skills/linked/references/notes.md')
    git(cwd, 'commit', '--quiet', '--message=second')
    expect(await lintDeleted(cwd)).toMatchObject({ skills: 0 })
    const env = { PRE_COMMIT_FROM_REF: 'HEAD~1', PRE_COMMIT_TO_REF: 'HEAD' }
    expect(await lintDeleted(cwd, [], env)).toMatchObject({ skills: 1 })
  })

  it('fails with one sentence outside of a repository', async () => {
    const cwd = createFolder()
    const done = await runSkills(['lint', '--deleted'], {
      cwd,
      env: { GIT_CEILING_DIRECTORIES: cwd },
    })
    expect(done.code).toBe(3)
    expect(done.stderr).toMatch(/Cannot list the deleted files of the commit: git diff exited with/)
  })

  it('is what the hooks pass, which also run for commits that only delete files', () => {
    const hooks = readFileSync('.pre-commit-hooks.yaml', 'utf8')
    expect(hooks.match(/entry: skills lint [^\n]*--skip-outside --deleted$/gm)).toHaveLength(2)
    expect(hooks.match(/always_run: true/g)).toHaveLength(2)
    const [lintHooks = ''] = hooks.split('- id: skills-test')
    expect(lintHooks).not.toContain('files:')
  })

  it('does not follow a folder that git removed with its last file', async () => {
    const cwd = createRepository('skills/other/references/more.md')
    rmSync(join(cwd, 'skills/other/references'), { recursive: true, force: true })
    expect((await lintDeleted(cwd)).found).toEqual(['skills/other/SKILL.md docs/broken-link'])
  })
})
