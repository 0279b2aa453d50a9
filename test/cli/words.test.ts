import { describe, expect, it } from 'vitest'
import { ALIASES } from '../../src/cli/commands/aliases.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { createActionSkill } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const INPUTS = `
[inputs.name]
type = "string"
required = true

[inputs.due_date]
type = "string"

[inputs.loud]
type = "boolean"
`

function createProject() {
  const files = createActionSkill('demo.greet', { toml: INPUTS })
  return createFolder({
    'skills/greet/skill.toml': files['skill.toml'] ?? '',
    'skills/greet/code/main.py': 'def main(args):\n    return args\n',
  })
}

describe('a word of another tool', () => {
  it('is no command itself, and names a command', () => {
    const names = COMMANDS.map(({ name }) => name)
    for (const [word, [command = '']] of ALIASES) {
      expect(names).not.toContain(word)
      if (!command.startsWith('-')) expect(names).toContain(command)
    }
  })

  it.each([
    ['ls', 'list'],
    ['check', 'lint'],
    ['validate --json', 'lint --json'],
    ['--json find greet --local', '--json search greet --local'],
    ['rules naming', 'lint --rules naming'],
    ['version', '--version'],
    ['help add', 'help install'],
    ['uninstall x', 'remove x'],
    ['run --help', 'exec --help'],
    ['eval --help', 'test --help'],
    ['audit demo.greet', 'vet demo.greet'],
    ['audit --help', 'audit --help'],
  ])('%j does what %j does', async (typed, line) => {
    const cwd = createProject()
    const perform = async (words: string) => {
      const { code, stdout, stderr } = await runSkills(words.split(' '), { cwd })
      return { code, stdout: stdout.replace(/"duration_ms": \d+/, ''), stderr }
    }
    expect(await perform(typed)).toEqual(await perform(line))
  })

  it.each([
    ['lnit', 'lint'],
    ['dev', 'serve --open'],
    ['deploy', 'publish'],
    ['delete', 'remove'],
    ['keys rm', 'keys remove'],
    ['blobs delete', 'blobs rm'],
    ['outdated --json', 'update --dry-run'],
    ['digest demo.greet', 'info --digest'],
    ['data check', 'doctor --data'],
    ['approve demo.greet', 'install --pending'],
    ['lock import file', 'install --import'],
    ['lock export', 'install --export'],
    ['lock merge', 'install --merge'],
    ['trust add key.pub', 'keys trust'],
    ['trust list', 'keys list --trusted'],
    ['tools --format mcp', 'prompt --tools openai'],
  ])('%j gets the hint %j', async (typed, meant) => {
    const { code, stderr } = await runSkills(typed.split(' '))
    expect(code).toBe(2)
    expect(stderr).toContain(`Did you mean "skills ${meant}"?`)
  })
})

it.each([['constructor'], ['help', '__proto__'], ['toString', '--json']])(
  'the name of a property of objects is no command: %s',
  async (...argv) => {
    const { code, stderr } = await runSkills(argv)
    expect([code, stderr]).toEqual([2, expect.stringContaining('Unknown command')])
  },
)

describe('help', () => {
  it('has at most 25 commands on its first page, and says where the others are', async () => {
    const { stdout } = await runSkills(['--help'])
    const shown = COMMANDS.filter(({ name }) => stdout.includes(`\n  ${name}`))
    expect(shown.length).toBeLessThanOrEqual(25)
    expect(stdout).toContain('skills help --all')
    expect(stdout).toContain('\n  install, add ')
    expect(stdout).toMatch(
      /\n {2}4 .*\n {2}5 .*\n {2}10 .*\n {2}20 .*\n {2}30 .*\n {2}130 .*\n {2}143 /,
    )
  })

  it('has all commands on its second page', async () => {
    const { stdout } = await runSkills(['help', '--all'])
    for (const { name, hidden } of COMMANDS) {
      expect(new RegExp(`^  ${name}[ ,\\n]`, 'm').test(stdout)).toBe(hidden !== true)
    }
    expect(stdout).toMatch(/\n {2}ci +skills install --frozen\n/)
  })
})

describe('inputs of a skill on the command line', () => {
  const perform = async (...words: string[]) => {
    const ran = await runSkills(['exec', './skills/greet', ...words], { cwd: createProject() })
    return ran.code === 0 ? (JSON.parse(ran.stdout) as object) : ran
  }

  it.each([
    [['name=Ada'], { name: 'Ada' }],
    [['--name', 'Ada'], { name: 'Ada' }],
    [['--name=Ada', '--due-date', '1 May'], { name: 'Ada', due_date: '1 May' }],
    [['--loud', '--name', 'Ada', '--timeout', '60s'], { loud: true, name: 'Ada' }],
    [['--loud', 'false', 'name=a=b'], { loud: false, name: 'a=b' }],
  ])('%j are read', async (words, result) => {
    expect(await perform(...words)).toEqual(result)
  })

  it('are read if an option has taken the skill as its value', async () => {
    const argv = ['exec', '--keep', './skills/greet', 'name=Ada', '--loud']
    const { stdout } = await runSkills(argv, { cwd: createProject() })
    expect(JSON.parse(stdout)).toEqual({ name: 'Ada', loud: true })
  })

  it.each([
    [['Ada'], 'Expected name=value after the skill, got "Ada"'],
    [['--name'], 'The input "name" needs a value'],
    [['--nmae', 'Ada'], 'Did you mean "--name"?'],
    [['name=Ada', '--jsno'], 'Did you mean "--json"?'],
    [['name=Ada', '--arg', 'name=Bob'], 'The argument "name" is given twice'],
  ])('%j are refused', async (words, message) => {
    expect(await perform(...words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message) as string,
    })
  })
})
