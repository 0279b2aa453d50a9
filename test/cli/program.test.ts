import { describe, expect, it } from 'vitest'
import { runSkills } from '../helpers/skills.ts'

describe('skills', () => {
  it('without arguments shows the commands and exits with 0', async () => {
    const { code, stdout, stderr } = await runSkills([])
    expect(code).toBe(0)
    expect(stdout).toContain('describe ')
    expect(stderr).toBe('')
  })

  it.each([
    [['help', 'list']],
    [['list', '--help']],
    [['list', '-h']],
    [['--json', 'list', '--help']],
  ])('shows help for %j', async (argv) => {
    const { code, stdout } = await runSkills(argv)
    expect(code).toBe(0)
    expect(stdout).toContain('Usage: skills list [options]')
    expect(stdout).toContain('--namespace <name>')
  })

  it('omits hidden commands', async () => {
    expect((await runSkills([])).stdout).not.toContain('skill-names')
  })

  it.each([
    [['lst'], 'Unknown command "lst"', 'Did you mean "skills list"?'],
    [['help', 'descibe'], 'Unknown command "descibe"', 'Did you mean "skills describe"?'],
    [['list', '--jsn'], 'Unknown option "--jsn"', 'Did you mean "--json"?'],
    [['--jsn'], 'Unknown option "--jsn"', 'Did you mean "--json"?'],
    [
      ['list', '--kind', 'acton'],
      '--kind is "acton", expected one of action, instruction',
      'Did you mean "skills list --kind action"?',
    ],
    [
      ['list', '--kind', "o'x"],
      `--kind is "o'x", expected one of action, instruction`,
      'Type for example: skills list --kind action',
    ],
    [
      ['completion', 'bsah'],
      'The shell is "bsah", expected one of bash, zsh, fish',
      'Did you mean "skills completion bash"?',
    ],
    [['schema', 'x'], 'The schema is "x"', 'Type for example: skills schema skill'],
    [
      ['describe'],
      'Missing <skill>: name, name@version, or folder of a skill',
      'Type for example: skills describe demo.greet',
    ],
    [
      ['read'],
      'Missing <skill>: name, name@version, or folder of a skill',
      'Type for example: skills read skills.protocol.guide SKILL.md',
    ],
    [
      ['list', 'x'],
      '"skills list" takes no argument, got "x" as well',
      'Type "skills list", or "skills list --help" to see what it takes',
    ],
    [
      ['describe', 'a b', 'c'],
      '"skills describe" takes one argument, got "c" as well',
      `Type "skills describe 'a b'", or`,
    ],
    [['list', '--nothing-like-it'], 'Unknown option "--nothing-like-it"', 'skills list --help'],
    [['--quiet'], 'Missing command', 'skills --help'],
    [['list', '--root'], '--root needs a value, expected <dir>', 'Write it as: skills list --root'],
    [
      ['lint', '--format'],
      '--format needs a value, expected one of pretty, concise',
      'Write it as: skills lint --format pretty',
    ],
  ])('rejects %j with one sentence and the next step', async (argv, message, hint) => {
    const { code, stdout, stderr } = await runSkills(argv)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
    expect(stderr).not.toMatch(/\n {4}at /)
  })

  it.each([
    [['lst', '--json']],
    [['--json', 'list', '--nope']],
    [['describe', '--json']],
    [['--json']],
  ])('prints one JSON document for the error of %j', async (argv) => {
    const { code, json } = await runSkills(argv)
    expect(code).toBe(2)
    expect(json()).toMatchObject({
      schema: 'skills.error/v1',
      error: { code: expect.stringMatching(/^usage/) },
    })
  })

  it('accepts global options before and after the command', async () => {
    const before = await runSkills(['--json', 'list'])
    const after = await runSkills(['list', '--json'])
    expect(before.json()).toMatchObject({ schema: 'skills.list/v1' })
    expect(after.json()).toMatchObject({ schema: 'skills.list/v1' })
  })

  it('exits with 130 for a command interrupted by Ctrl-C', async () => {
    const interrupted = new AbortController()
    interrupted.abort()
    expect((await runSkills(['list'], { signal: interrupted.signal })).code).toBe(130)
  })
})

describe('colours', () => {
  it('are off in a pipe, on with FORCE_COLOR, and NO_COLOR wins on a terminal', async () => {
    const escape = '\u001b['
    expect((await runSkills(['list', '--all'])).stdout).not.toContain(escape)
    expect((await runSkills(['list', '--all'], { env: { FORCE_COLOR: '1' } })).stdout).toContain(
      escape,
    )
    expect(
      (await runSkills(['list', '--all'], { tty: true, env: { TERM: 'xterm' } })).stdout,
    ).toContain(escape)
    const off = await runSkills(['list', '--all'], {
      tty: true,
      env: { TERM: 'xterm', NO_COLOR: '1' },
    })
    expect(off.stdout).not.toContain(escape)
  })
})
