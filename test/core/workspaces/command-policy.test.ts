import { chmodSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  checkCommand,
  scrubEnvironment,
} from '../../../src/core/workspaces/commands/command-policy.ts'
import { readSegments } from '../../../src/core/workspaces/commands/shell-words.ts'
import { createSession } from './in-workspace.ts'

const splitWords = (line: string) => readSegments(line).map((each) => each.map(({ text }) => text))

describe('a command line', () => {
  it.each([
    ['echo "hi there"', [['echo', 'hi there']]],
    [`echo abc'def'"ghi"`, [['echo', 'abcdefghi']]],
    [`echo 'a$b' "a\\"b" a\\ b`, [['echo', 'a$b', 'a"b', 'a b']]],
    ['a|b && c || d ; e', [['a'], ['b'], ['c'], ['d'], ['e']]],
    ['find . -exec true {} +', [['find', '.', '-exec', 'true', '{}', '+']]],
    ['echo "a\\b" é;', [['echo', 'a\\b', 'é']]],
  ])('%s is parsed like in a shell', (line, expected) => {
    expect(splitWords(line)).toEqual(expected)
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
  ])('%j is rejected because of %s', (line, why) => {
    const checkLine = () => checkCommand(line, { allowed: [], denied: ['nothing'] })
    expect(checkLine).toThrow(why)
  })
})

describe('command lists', () => {
  const checkDenied = (line: string) => () => checkCommand(line, { allowed: [], denied: ['curl'] })
  const checkAllowed = (line: string) => () =>
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
    "test -v 'a[$(curl x)]'",
    "'[' -v 'a[$(curl x)]' ']'",
    "printf '-va[$(curl x)]' y",
    "wait -np 'a[$(curl x)]'",
    "compgen -W '$(curl x)'",
    'jobs -x curl',
    'nsenter curl',
    '/lib64/ld-linux-x86-64.so.2 /usr/bin/curl',
  ])('that deny a command reject %s', (line) => {
    expect(checkDenied(line)).toThrow(/denied|no list applies|shell syntax/)
  })

  it.each(['ls', 'printf x', 'python3 -c 1', 'echo curl', 'test -f x', 'wait'])(
    'that deny another command allow %s',
    (line) => {
      expect(checkDenied(line)).not.toThrow()
    },
  )

  it('that allow some commands reject all others, and commands that run others', () => {
    for (const line of ['echo hi', 'echo a | echo b', '/usr/bin/jq .'])
      expect(checkAllowed(line), line).not.toThrow()
    for (const line of [
      'ls',
      'echo a; ls',
      './echo',
      '/usr/bin/echo x',
      'jq .',
      'sh -c ls',
      'ECHO x',
    ]) {
      expect(checkAllowed(line), line).toThrow()
    }
    expect(() => checkCommand('echo', { allowed: ['echo'], denied: ['echo'] })).toThrow(
      'denied by denied_commands',
    )
  })

  it('resolve a path to the same file from any working folder', () => {
    const lists = { allowed: ['bin/cli', './safe', '/usr/bin/jq', 'work/tool'], denied: [] }
    const at = (folder: string) => ({ folder, skill: 'demo' })
    const ok =
      (line: string, folder = 'skills/demo') =>
      () =>
        checkCommand(line, lists, at(folder))
    for (const line of ['bin/cli x', './bin/cli', './safe', '/workspace/skills/demo/bin/cli'])
      expect(ok(line), line).not.toThrow()
    expect(ok('../bin/cli', 'skills/demo/sub')).not.toThrow()
    expect(ok('./tool', 'work')).not.toThrow()
    for (const line of ['"./s\\afe"', 'safe', 'cli', 'tool', '../bin/cli', 'jq'])
      expect(ok(line), line).toThrow('is not allowed')
    expect(ok('bin/cli', 'out')).toThrow('is not allowed')
    expect(() => checkCommand('./bin/cli', { allowed: [], denied: ['bin/cli'] })).toThrow('denied')
    expect(() => checkCommand('cli', { allowed: [], denied: ['bin/cli'] })).toThrow('denied')
  })

  it('match a program of the skill by its bare name, unless another one has that name', async () => {
    const { run, skills } = await createSession({
      files: {
        'demo/sub/x': '',
        'demo/bin/demo-cli': '#!/bin/sh\necho mine',
        'demo/bin/ls': '#!/bin/sh\necho mine',
      },
      settings: { 'workspace.allowed_commands': ['bin/demo-cli', 'bin/ls'] },
    })
    for (const name of ['demo-cli', 'ls']) chmodSync(`${skills}/demo/bin/${name}`, 0o755)
    expect((await run('demo-cli')).stdout).toBe('mine\n')
    expect((await run('./bin/demo-cli', { cwd: '.' })).stdout).toBe('mine\n')
    expect((await run('demo-cli', { cwd: 'sub' })).stdout).toBe('mine\n')
    await expect(run('ls')).rejects.toThrow('"ls" is not allowed by allowed_commands')
    await expect(run('demo-other')).rejects.toThrow('not allowed')
  })

  it('match the words after a command', () => {
    const lists = { allowed: ['git status', 'git log --oneline', 'echo'], denied: ['echo secret'] }
    const checkLine = (line: string) => () => checkCommand(line, lists)
    for (const line of ['git status -s', "git 'log' --oneline x", 'echo hi'])
      expect(checkLine(line), line).not.toThrow()
    for (const line of ['git push', 'git', 'git -C / status', 'git log'])
      expect(checkLine(line), line).toThrow('not allowed')
    for (const line of ['echo secret', 'echo a "sec"ret b', '/bin/ECHO secret'])
      expect(checkLine(line), line).toThrow('secret" is denied')
  })

  it('remove environment variables that change the meaning of a command', () => {
    const env = {
      BASH_ENV: 'x',
      PATH: '/x',
      LD_PRELOAD: 'x',
      LD_DEBUG: 'x',
      GIT_SSH_COMMAND: 'x',
      OPENSSL_CONF: 'x',
      EDITOR: 'x',
      'BASH_FUNC_ls%%': 'x',
      'A B': 'x',
      OWN: 'x',
    }
    expect(scrubEnvironment(env)).toEqual({ OWN: 'x' })
  })

  it('apply to every tool that runs commands, and errors state the reason', async () => {
    const { run, exec, shell } = await createSession({
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
