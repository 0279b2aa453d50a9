import { describe, expect, it } from 'vitest'
import { checkCommand, scrubEnvironment } from '../../../src/core/workspace/command-policy.ts'
import { readSegments } from '../../../src/core/workspace/shell-words.ts'
import { session } from './in-workspace.ts'

const words = (line: string) => readSegments(line).map((each) => each.map(({ text }) => text))

describe('a command line', () => {
  it.each([
    ['echo "hi there"', [['echo', 'hi there']]],
    [`echo abc'def'"ghi"`, [['echo', 'abcdefghi']]],
    [`echo 'a$b' "a\\"b" a\\ b`, [['echo', 'a$b', 'a"b', 'a b']]],
    ['a|b && c || d ; e', [['a'], ['b'], ['c'], ['d'], ['e']]],
    ['find . -exec true {} +', [['find', '.', '-exec', 'true', '{}', '+']]],
    ['echo "a\\b" é;', [['echo', 'a\\b', 'é']]],
  ])('%s is read as a shell reads it', (line, expected) => {
    expect(words(line)).toEqual(expected)
  })

  it.each([
    ['echo $(ls)', 'an expansion ($)'],
    ['echo `ls`', 'a command substitution (`)'],
    ['echo "$HOME"', 'an expansion ($)'],
    ['echo a > b', 'a redirection (>)'],
    ['sleep 1 &', 'a background command (&)'],
    ['a |& b', 'uses |&'],
    ['(ls)', 'a subshell'],
    ['{ ls; }', 'a group'],
    ['echo {a,b}', 'a group or brace expansion'],
    ['ls *', 'a glob'],
    ['echo a\nls', 'a line break'],
    ['echo "a\nb"', 'a line break'],
    ['echo a\\\nls', 'a line break'],
    ['if true; then ls; fi', '"if" is shell syntax'],
    ['X=1 ls', 'it assigns a variable'],
    ['X+=1 ls', 'it assigns a variable'],
    ['a ;; b', 'uses ;;'],
    ['| a', 'a command is missing'],
    ['a &&', 'a command is missing'],
    ['echo "a', 'a quote is not closed'],
    ['echo a\\', 'ends with a backslash'],
    ['! ls', 'a negation'],
    ['ls # x', 'a comment'],
    ['"" x', 'the name of a command is empty'],
    ['ls ~', 'a home folder'],
  ])('%j is refused for %s', (line, why) => {
    const check = () => checkCommand(line, { allowed: [], denied: ['nothing'] })
    expect(check).toThrow(why)
  })
})

describe('the lists of commands', () => {
  const denied = (line: string) => () => checkCommand(line, { allowed: [], denied: ['curl'] })
  const allowed = (line: string) => () =>
    checkCommand(line, { allowed: ['echo', 'sh', '/usr/bin/jq'], denied: [] })

  it.each([
    'curl x',
    '/usr/bin/curl x',
    'CURL x',
    '"cu"rl x',
    'true; ./curl',
    "true | c'u'rl",
    'eval curl',
    'sh -c curl',
    'bash -lc curl',
    'busybox wget',
    'xargs curl',
    'env curl',
    'sudo curl',
    'time curl',
    'nice curl',
    'command curl',
    'trap curl EXIT',
    'alias a=curl',
    'export A',
    'cd /x',
    'printf -v PATH x',
    'read x',
    '. ./x',
    'find . -exec curl x',
  ])('that deny a command refuse %s', (line) => {
    expect(denied(line)).toThrow(/denied|judge|shell syntax/)
  })

  it.each(['ls', 'printf x', 'python3 -c 1', 'echo curl'])(
    'that deny another let %s through',
    (line) => {
      expect(denied(line)).not.toThrow()
    },
  )

  it('that allow some refuse all others, and what runs others', () => {
    for (const line of ['echo hi', 'echo a | echo b', '/usr/bin/jq .'])
      expect(allowed(line), line).not.toThrow()
    for (const line of [
      'ls',
      'echo a; ls',
      './echo',
      '/usr/bin/echo x',
      'jq .',
      'sh -c ls',
      'ECHO x',
    ]) {
      expect(allowed(line), line).toThrow()
    }
    expect(() => checkCommand('echo', { allowed: ['echo'], denied: ['echo'] })).toThrow(
      'denied by denied_commands',
    )
  })

  it('take from the environment what would make a command another', () => {
    const env = {
      BASH_ENV: 'x',
      PATH: '/x',
      LD_PRELOAD: 'x',
      'BASH_FUNC_ls%%': 'x',
      'A B': 'x',
      OWN: 'x',
    }
    expect(scrubEnvironment(env)).toEqual({ OWN: 'x' })
  })

  it('are held in every tool that runs commands, with the reason', async () => {
    const { run, exec, shell } = await session({
      settings: { 'workspace.allowed_commands': ['echo', 'cat'] },
    })
    expect((await run('echo ok; echo "a;b"')).stdout).toBe('ok\na;b\n')
    for (const tool of [run, exec, shell]) {
      await expect(tool('ls')).rejects.toMatchObject({
        code: 'policy/denied',
        message: 'The command "ls" is not allowed by allowed_commands',
      })
      await expect(tool('echo `ls`')).rejects.toThrow('a command substitution')
    }
    expect((await run('cat', { stdin: 'x', env: { BASH_ENV: '/workspace/evil' } })).stdout).toBe(
      'x',
    )
  })
})
