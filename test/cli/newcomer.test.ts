// @module-tag slow
// @module-tag nightly
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createGitRepository } from '../helpers/git-repository.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

/** A repository of plain Agent Skills, as they are published on GitHub. */
const REPOSITORY = {
  'README.md': '# Skills\n',
  'skills/pdf-form/SKILL.md':
    '---\nname: pdf-form\ndescription: Fills PDF forms. Use when a form needs values.\n---\n# Forms\n',
  'skills/changelog/SKILL.md':
    '---\nname: changelog\ndescription: Writes changelogs from commits. Use for a release.\n---\n# Logs\n',
}

interface TypedLine {
  line: string
  /** Text of the output, or a path of the project that exists afterwards; with "!", one that does not. */
  ends: string
  /** Exit statuses, 0 by default; 2 is never one of them. */
  exits?: readonly number[]
}

/** Lines as users of other tools for skills, of package managers and of test runners type them. */
const LINES: readonly TypedLine[] = [
  { line: '--version', ends: '0.' },
  { line: '-v', ends: '0.' },
  { line: 'version', ends: '0.' },
  { line: 'help', ends: 'Usage: skills' },
  { line: 'help add', ends: 'Usage: skills install' },
  { line: 'init', ends: './skills.config.toml' },
  { line: 'init my-skill', ends: './skills/my-skill/SKILL.md' },
  { line: 'create greet --yes', ends: './skills/greet/skill.toml' },
  { line: 'scaffold hello -y', ends: './skills/hello/skill.toml' },
  { line: 'validate', ends: 'skills checked' },
  { line: 'check skills/greet', ends: '1 skill checked' },
  { line: 'lint --fix', ends: 'skills checked' },
  { line: 'run greet --name Ada', ends: 'Hello, Ada!' },
  { line: 'exec greet name=Ada', ends: 'Hello, Ada!' },
  { line: 'test', ends: 'passed' },
  { line: 'test greet', ends: '1 passed' },
  { line: 'test -k example greet', ends: '1 passed' },
  { line: 'eval greet', ends: 'no eval was found', exits: [3] },
  { line: 'add vercel/agent-skills --list', ends: 'Fills PDF forms.' },
  { line: 'add vercel/agent-skills -l --json', ends: '"name": "changelog"' },
  { line: 'show vercel/agent-skills', ends: 'changelog' },
  {
    line: 'add vercel/agent-skills --skill pdf-form -y',
    ends: './.agents/skills/pdf-form/SKILL.md',
  },
  {
    line: 'add vercel/agent-skills -s changelog -a claude-code -y',
    ends: './.claude/skills/changelog',
  },
  {
    line: 'add https://github.com/vercel/agent-skills/tree/main/skills/pdf-form -y',
    ends: 'pdf-form',
  },
  { line: 'add vercel/agent-skills@changelog -y', ends: 'installed changelog' },
  { line: 'add vercel/agent-skills@absent -y', ends: 'no branch and no tag "absent"', exits: [3] },
  { line: 'add ../clone --all -y -g', ends: 'installed changelog' },
  { line: 'ls', ends: 'pdf-form' },
  { line: 'ls -g', ends: 'changelog' },
  { line: 'list --json', ends: '"skills.list/v1"' },
  { line: 'find pdf', ends: 'pdf-form' },
  { line: 'search changelog', ends: 'changelog' },
  { line: 'info pdf-form', ends: 'not signed' },
  { line: 'preview ../clone/skills/pdf-form', ends: 'Fills PDF forms.' },
  { line: 'view pdf-form', ends: 'Fills PDF forms.' },
  { line: 'use pdf-form', ends: '# Forms' },
  { line: 'cat changelog SKILL.md', ends: '# Logs' },
  { line: 'prompt', ends: '<name>pdf-form</name>' },
  { line: 'update --dry-run', ends: 'No other version' },
  { line: 'update -y', ends: 'current pdf-form' },
  { line: 'upgrade changelog', ends: 'current changelog' },
  { line: 'verify', ends: 'unchanged pdf-form' },
  { line: 'ci', ends: 'installed' },
  { line: 'pack greet', ends: './greet-0.1.0.tar.gz' },
  { line: 'rm changelog -y', ends: '!./.claude/skills/changelog' },
  { line: 'remove pdf-form --yes', ends: '!./.agents/skills/pdf-form' },
  { line: 'uninstall pdf-form changelog -g', ends: 'removed changelog', exits: [0] },
]

it('lines of other tools end at what they ask for', async () => {
  const base = createFolder()
  const { gitDir, work } = createGitRepository(REPOSITORY, { name: 'agent-skills', folder: base })
  mkdirSync(join(base, 'github/vercel'), { recursive: true })
  renameSync(gitDir, join(base, 'github/vercel/agent-skills.git'))
  renameSync(work, join(base, 'clone'))
  const cwd = join(base, 'project')
  mkdirSync(join(cwd, '.claude'), { recursive: true })
  const env = { HOME: join(base, 'home'), SKILLS_GITHUB_URL: `file://${join(base, 'github')}` }
  mkdirSync(env.HOME)
  for (const { line, ends, exits = [0] } of LINES) {
    const { code, stdout, stderr } = await runSkills(line.split(' '), { cwd, env })
    const output = `${stdout}\n${stderr}`
    const isPath = /^!?\.\//.test(ends)
    const reached = isPath
      ? existsSync(join(cwd, ends.replace('!', ''))) !== ends.startsWith('!')
      : output.includes(ends)
    expect({ line, exits: exits.includes(code), reached, output: reached ? '' : output }).toEqual({
      line,
      exits: true,
      reached: true,
      output: '',
    })
  }
  expect(LINES.length).toBeGreaterThanOrEqual(40)
})
