import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const ECHO = 'def main(args):\n    return args\n'

/** A project with two skills, each with a sibling module of the same name, and some code. */
function project() {
  const skill = (name: string, value: string) => ({
    ...createActionSkill(`demo.${name}`),
    'code/main.py': 'import helper\n\ndef value():\n    return helper.VALUE\n',
    'code/helper.py': `VALUE = "${value}"\n`,
  })
  return createFolder({
    ...prefixPaths('skills/one', skill('one', 'from one')),
    ...prefixPaths('skills/two', skill('two', 'from two')),
    ...prefixPaths('skills/old', { ...createActionSkill('demo.one', { version: '0.0.9' }) }),
    'echo.py': ECHO,
    'both.py':
      'from skills.demo import one\nfrom skills.demo.two import value\n\ndef main(args):\n    return [one.value(), value()]\n',
  })
}

describe('skills run-code', () => {
  it.each([
    [['--code', ECHO], ''],
    [['echo.py'], ''],
    [['-'], ECHO],
    [[], ECHO],
    [[], `\uFEFF${ECHO}`],
    [[], ECHO.replaceAll('\n', '\r\n')],
  ])('reads code from %j and stdin %j', async (argv, stdin) => {
    const ran = await runSkills(['run-code', ...argv, '--arg', 'a=1'], { cwd: project(), stdin })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.json()).toEqual({ a: 1 })
  })

  it.each([
    [['/dev/zero'], 'The file "/dev/zero" has more than 32 MiB'],
    [['echo.py', '--args', '@/dev/zero'], 'The file "/dev/zero" has more than 32 MiB'],
    [['-'], 'Standard input has more than 32 MiB'],
  ])('rejects an input without end: %j', async (argv, expectedMessage) => {
    const stdin = Buffer.alloc(33 * 1024 ** 2)
    const ran = await runSkills(['run-code', ...argv], { cwd: project(), stdin })
    expect(ran).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining(expectedMessage),
    })
  })

  it('parses one argument as JSON if valid, else as text', async () => {
    const argv = ['n=1.5', 'yes=true', 'list=[1]', 'text=[1', 'quoted="5"', 'empty=', 'nan=NaN']
    const args = argv.flatMap((word) => ['--arg', word])
    const ran = await runSkills(['run-code', 'echo.py', ...args], { cwd: project() })
    expect(ran.json()).toEqual({
      n: 1.5,
      yes: true,
      list: [1],
      text: '[1',
      quoted: '5',
      empty: '',
      nan: 'NaN',
    })
  })

  it('accepts all arguments at once, overridden by single ones', async () => {
    const args = ['--args', '{"a": 1, "b": 1}', '--arg', 'b=2']
    const ran = await runSkills(['run-code', 'echo.py', ...args], { cwd: project() })
    expect(ran.json()).toEqual({ a: 1, b: 2 })
    const piped = await runSkills(['run-code', 'echo.py', '--args', '-'], {
      cwd: project(),
      stdin: '{"piped": true}',
    })
    expect(piped.json()).toEqual({ piped: true })
  })

  it.each([
    [['demo.one', 'demo.two']],
    [['demo.one@0.1.0', './skills/two']],
    [['./skills/one', 'demo.one', 'demo.two']],
  ])('mounts %j, each with its own siblings', async (mounts) => {
    const argv = mounts.flatMap((name) => ['--mount', name])
    const ran = await runSkills(['run-code', 'both.py', ...argv], { cwd: project() })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.json()).toEqual(['from one', 'from two'])
  })

  it('calls the named function, defined or imported', async () => {
    const cwd = project()
    const code = 'def other(args):\n    return "other"\n'
    const own = await runSkills(['run-code', '--code', code, '--entrypoint', 'other'], { cwd })
    expect(own.json()).toBe('other')
    const imported =
      'from skills.demo.one import value as main_value\nmain = lambda args: main_value()'
    const argv = ['run-code', '--code', imported, '--mount', 'demo.one']
    expect((await runSkills(argv, { cwd })).json()).toBe('from one')
  })

  it('passes blobs to the code and back', async () => {
    const cwd = project()
    const env = { HOME: createFolder() }
    const copy =
      'from runtime import blobs\ndef main(args):\n    return blobs.write_text(blobs.read_text(args["text"]).upper())\n'
    const argv = ['run-code', '--code', copy, '--blob', 'text=-', '--out', 'out', '--json']
    const first = await runSkills(argv, { cwd, env, stdin: 'piped' })
    const { output, saved } = first.json() as { output: string; saved: string[] }
    expect(readFileSync(join(cwd, saved[0] ?? ''), 'utf8')).toBe('PIPED')

    const read =
      'from runtime import blobs\ndef main(args):\n    return blobs.read_text(args["id"])\n'
    const baseArgv = ['run-code', '--code', read, '--arg', `id=${output}`]
    const refused = await runSkills(baseArgv, { cwd, env })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    const granted = await runSkills([...baseArgv, '--input-blob', output], { cwd, env })
    expect(granted.json()).toBe('PIPED')
    // Typed in short form, or completed by a shell.
    const short = await runSkills([...baseArgv, '--input-blob', output.slice(5, 17)], { cwd, env })
    expect(short.json()).toBe('PIPED')
  })

  it('shows the lines of the code in a traceback', async () => {
    const cwd = project()
    const code =
      'import os\n\ndef main(args):\n    inner()\n\ndef inner():\n    raise ValueError("bad")\n'
    writeFileSync(join(cwd, 'bad.py'), code)
    const file = await runSkills(['run-code', 'bad.py'], { cwd })
    expect(file).toMatchObject({ code: 1, stdout: '' })
    expect(file.stderr).toBe(
      'failed: ValueError: bad\n  bad.py:4 in main\n    inner()\n  bad.py:7 in inner\n    raise ValueError("bad")\n',
    )
    const piped = await runSkills(['run-code', '--json'], { cwd, stdin: code })
    const { error } = piped.json() as { error: { type: string; traceback: string } }
    expect(error.type).toBe('ValueError')
    expect(error.traceback).toContain('line 7, in inner\n    raise ValueError("bad")')
  })

  it('shows no internal frame for a failed import, causes included', async () => {
    const code =
      'def main(args):\n    try:\n        import nothing_here\n    except ImportError as cause:\n        raise ValueError("bad") from cause\n'
    const { stderr } = await runSkills(['run-code', '--code', code])
    expect(stderr).toContain('  caused by ModuleNotFoundError: No module')
    expect(stderr).toContain('  <code>:3 in main\n    import nothing_here\n')
    expect(stderr).not.toMatch(/\/guest\/|importlib/)
  })

  it('shows the position of a syntax error', async () => {
    const ran = await runSkills(['run-code', '--code', 'x = 1\ndef main(args) return 1'])
    expect(ran.code).toBe(1)
    expect(ran.stderr).toMatch(/<code>:2\n\s+def main\(args\) return 1\n\s+\^/)
  })

  it('prints null without a result, forwards printed text, and reports a missing function', async () => {
    const cwd = project()
    const code = 'import sys\nprint("out")\nprint("err", file=sys.stderr)\ndef main(args): pass\n'
    const ran = await runSkills(['run-code', '--code', code], { cwd })
    expect(ran).toMatchObject({ code: 0, stdout: 'null\n' })
    expect(ran.stderr.trim().split('\n').sort()).toEqual(['err', 'out'])
    const none = await runSkills(['run-code', '--code', 'x = 1', '--json'], { cwd })
    expect(none).toMatchObject({ code: 1 })
    expect(none.json()).toMatchObject({ error: { type: 'EntrypointNotFound' } })
  })

  it.each([[[]], [['--quiet']], [['--json']]])(
    'reports that the backend "process" does not isolate, also with %j',
    async (more) => {
      const argv = ['run-code', 'echo.py', '--backend', 'process', ...more]
      const ran = await runSkills(argv, { cwd: project() })
      expect(ran.code).toBe(0)
      expect(ran.stderr).toContain('NOT isolated')
    },
  )

  it('gives secrets of mounted skills to the code only if the operator allows it', async () => {
    const toml = '\n[permissions]\nsecrets = ["API_TOKEN"]\n'
    const cwd = createFolder(prefixPaths('skills/key', createActionSkill('demo.key', { toml })))
    const code = 'import os\ndef main(args):\n    return len(os.environ.get("API_TOKEN", ""))\n'
    const argv = ['run-code', '--code', code, '--mount', 'demo.key', '--secret', 'API_TOKEN']
    const env = { API_TOKEN: 'abcdef' }
    const without = await runSkills(argv, { cwd, env })
    expect(without).toMatchObject({ code: 0, stdout: '0\n' })
    expect(without.stderr).toContain('This run has no secrets')
    const allowed = { ...env, SKILLS_RUN_CODE_INHERITS_PERMISSIONS: '1' }
    expect(await runSkills(argv, { cwd, env: allowed })).toMatchObject({ code: 0, stdout: '6\n' })
  })
})

describe('skills run-code rejects', () => {
  it.each([
    [['--code', ''], 2, 'The code is empty'],
    [['--code', 'x', 'echo.py'], 2, 'Expected --code or the file "echo.py", got both'],
    [['echo.py', 'more.py'], 2, 'takes one argument, got "more.py" as well'],
    [['-', '--args', '-'], 2, 'Cannot read standard input for the code and --args'],
    [['echo.py', '--blob', 'a=-', '--args', '-'], 2, 'Cannot read standard input for --args and'],
    [['echo.py', '--language', 'cobol'], 2, 'cobol'],
    [['echo.py', '--entrypoint', 'a b'], 2, 'Expected the name of a function, got "a b"'],
    [['echo.py', '--timeout', '0s'], 2, 'Expected a duration for --timeout, got "0s"'],
    [['echo.py', '--timeout', '99h'], 2, 'Expected a timeout of 1 ms to 10 minutes'],
    [['echo.py', '--backend', 'nothing'], 2, 'nothing'],
    [['echo.py', '--secret', 'KEY'], 2, 'No mounted skill declares the secret "KEY"'],
    [['echo.py', '--mount', './skills/one', '--mount', 'demo.one@0.0.9'], 2, 'would both be'],
    [['nothing.py'], 3, 'Cannot read the file "nothing.py"'],
    [['skills'], 3, '"skills" is a folder, expected a file'],
    [['bytes.py'], 3, 'is not UTF-8 text'],
    [['echo.py', '--mount', 'demo.oen'], 3, 'Unknown skill "demo.oen"'],
    [['echo.py', '--mount', 'demo.one@9.0.0'], 3, 'has no version "9.0.0"'],
    [['echo.py', '--mount', './nowhere'], 3, 'There is no folder "./nowhere"'],
    [['echo.py', '--input-blob', 'blob:nothing'], 3, 'Unknown blob "blob:nothing"'],
    [['echo.py', '--blob', 'a=nothing.txt'], 3, 'Cannot read the file "nothing.txt"'],
    [['echo.py', '--blob', 'a=skills'], 3, '"skills" is a folder, expected a file'],
    [['echo.py', '--secrets-file', 'nothing.env'], 3, 'Cannot read the secrets file'],
    [['echo.py', '--out', ''], 2, 'Expected a folder for --out, got ""'],
    [['echo.py', '--keep='], 2, 'Expected a folder for --keep, got ""'],
    [['echo.py', '--args', '{"a":1e400}'], 2, 'they have a number that is too large'],
    [['echo.py', '--keep=skills'], 2, '"skills" already exists'],
    [['echo.py', '--keep=no/where'], 3, 'There is no folder "no"'],
    [['echo.py', '--out', 'echo.py'], 3, 'Cannot create the folder "echo.py"'],
  ])('%j', async (argv, code, message) => {
    const cwd = project()
    writeFileSync(join(cwd, 'bytes.py'), Buffer.from([0x66, 0xff, 0xfe]))
    const ran = await runSkills(['run-code', ...argv], { cwd })
    expect(ran.stderr).toContain(message)
    expect(ran).toMatchObject({ code, stdout: '' })
  })

  it('a call without code on a terminal, and an empty pipe', async () => {
    const terminal = await runSkills(['run-code'], { tty: true })
    expect(terminal.code).toBe(2)
    expect(terminal.stderr).toContain('Missing code: a file, --code, or code from a pipe')
    expect(terminal.stderr).toContain("skills run-code --code 'def main(args): return 1'")
    const pipe = await runSkills(['run-code', '--json'])
    expect(pipe).toMatchObject({ code: 2 })
    expect(pipe.json()).toMatchObject({ error: { message: 'The code is empty' } })
  })

  it('arguments that are nested too deeply', async () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
    const at = (depth: number) => ({ cwd: project(), stdin: nested(depth) })
    const code = 'def main(args):\n    return len(args)\n'
    const argv = ['run-code', '--code', code, '--args', '-']
    const deep = await runSkills(argv, at(100_000))
    expect(deep).toMatchObject({ code: 2, stdout: '' })
    expect(deep.stderr).toContain('they are nested more than 200 levels deep')
    expect((await runSkills(argv, at(150))).code).toBe(0)
  })

  it('code that is too long', async () => {
    const ran = await runSkills(['run-code'], { stdin: `${ECHO}#${'x'.repeat(1024 ** 2)}` })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain('of code, got')
  })
})

describe('--keep', () => {
  const write = 'def main(args):\n    open("note.txt", "w").write("kept")\n'

  it('copies the workspace to the given folder', async () => {
    const cwd = createFolder()
    const ran = await runSkills(['run-code', '--code', write, '--keep=kept', '--json'], { cwd })
    expect(ran.json()).toMatchObject({ workspace: 'kept' })
    expect(readFileSync(join(cwd, 'kept/note.txt'), 'utf8')).toBe('kept')
    const again = await runSkills(['run-code', '--code', write, '--keep=kept'], { cwd })
    expect(again.code).toBe(2)
    expect(again.stderr).toContain('"kept" already exists and is not overwritten')
  })

  it('creates a new folder by default, for a failed run as well', async () => {
    const env = { TMPDIR: createFolder() }
    const fails = `${write}    raise ValueError()\n`
    const ran = await runSkills(['run-code', '--keep', '--code', fails], { env })
    expect(ran.code).toBe(1)
    const [name = ''] = readdirSync(env.TMPDIR)
    expect(ran.stderr).toContain(`The workspace is kept in ${join(env.TMPDIR, name)}`)
    expect(readdirSync(join(env.TMPDIR, name))).toEqual(['note.txt'])
  })

  it('does not take the code or skill after it as its folder', async () => {
    const env = { TMPDIR: createFolder() }
    const cwd = createFolder({
      ...prefixPaths('skills/x', createActionSkill('demo.x')),
      'code.py': write,
    })
    expect((await runSkills(['run-code', '--keep', 'code.py'], { cwd, env })).code).toBe(0)
    expect((await runSkills(['exec', '--keep', 'demo.x'], { cwd, env })).code).toBe(0)
    expect(readdirSync(env.TMPDIR)).toHaveLength(2)
    expect(readdirSync(cwd).sort()).toEqual(['code.py', 'skills'])
  })
})
