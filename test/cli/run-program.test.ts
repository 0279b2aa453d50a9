import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startTestServer } from '../helpers/server.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const PATIENCE = 60_000
const echo = `import sys; sys.stdout.write(' '.join(sys.argv[1:]) + sys.stdin.read())`

describe('skills run-code, code as a program', { timeout: PATIENCE }, () => {
  it('forwards output unchanged, and adds nothing', async () => {
    const code = `import sys; sys.stdout.buffer.write(bytes([0, 255, 10])); print('note', file=sys.stderr)`
    const done = await runSkills(['run-code', '--language', 'python', '--code', code])
    expect(done).toMatchObject({ code: 0, stderr: 'note\n' })
    expect(Buffer.from(done.stdout).length).toBeGreaterThan(2)
  })

  it('passes the arguments after "--" and the text of --stdin', async () => {
    const cwd = createFolder({ 'echo.py': echo, 'input.txt': 'from a file' })
    const own = ['run-code', 'echo.py', '--language', 'python']
    const run = async (...more: string[]) => (await runSkills([...own, ...more], { cwd })).stdout
    expect(await run('--', 'a', '--json')).toBe('a --json')
    expect(await run('--stdin', 'text')).toBe('text')
    expect(await run('--stdin', '@input.txt', '--', 'x')).toBe('xfrom a file')
  })

  it('forwards standard input for --stdin -', async () => {
    const argv = ['run-code', '--language', 'python', '--code', echo, '--stdin', '-']
    expect((await runSkills(argv, { stdin: 'piped' })).stdout).toBe('piped')
  })

  it('reads code from a pipe', async () => {
    const done = await runSkills(['run-code', '--language', 'shell', '-', '--', 'a b'], {
      stdin: 'echo "got $1"',
    })
    expect(done).toMatchObject({ code: 0, stdout: 'got a b\n' })
  })

  it('starts the language’s own program without code', async () => {
    const done = await runSkills(['run-code', '--language', 'python', '--', '-c', 'print(7)'])
    expect(done).toMatchObject({ code: 0, stdout: '7\n' })
  })

  it('reports the failure and the location of the output', async () => {
    const done = await runSkills(['run-code', '--language', 'shell', '--code', 'echo out; exit 4'])
    expect(done).toMatchObject({ code: 1, stdout: 'out\n' })
    expect(done.stderr).toMatch(/^Failed: exit code 4, \d+ ms\nOutput: skills runs query runtime-/)
  })

  it('exits with the exit code or the signal of the program for --exit-code', async () => {
    const run = async (code: string, ...more: string[]) =>
      (await runSkills(['run-code', '--language', 'shell', '--code', code, '--exit-code', ...more]))
        .code
    expect(await run('exit 4')).toBe(4)
    expect(await run('exit 0')).toBe(0)
    expect(await run('kill -TERM $$')).toBe(143)
    expect(await run('exit 5', '--json')).toBe(5)
    expect(await run('trap "exit 0" TERM; while :; do sleep 0.1; done', '--timeout', '1s')).toBe(1)
    const kinds = await runSkills(['run-code', '--code', 'x', '--exit-code', '--arg', 'a=1'])
    expect(kinds).toMatchObject({ code: 2 })
    expect(kinds.stderr).toContain('--arg is for functions, --exit-code for programs')
  })

  it('refuses --exit-code for code that only defines a function', async () => {
    const run = async (code: string, ...more: string[]) =>
      await runSkills(['run-code', '--code', code, '--exit-code', ...more])
    for (const code of ['def main(args):\n    return 3', 'async def main(args):\n    pass']) {
      const refused = await run(code)
      expect(refused).toMatchObject({ code: 2, stdout: '' })
      expect(refused.stderr).toContain('this code only defines the function "main"')
      expect(refused.stderr).toContain('Remove --exit-code to call the function')
    }
    const node = await run('export function main() { return 1 }', '--language', 'node')
    expect(node).toMatchObject({ code: 2 })
    // Programs that call it, or that the caller names so.
    const called = 'import sys\ndef main():\n    return 3\nsys.exit(main())'
    expect(await run(called, '--language', 'python')).toMatchObject({ code: 3 })
    const asIs = await run(
      'def main(args):\n    return 3',
      '--language',
      'python',
      '--as',
      'program',
    )
    expect(asIs).toMatchObject({ code: 0 })
  })

  it('prints one document with a summary for --json', async () => {
    const done = await runSkills([
      'run-code',
      '--language',
      'shell',
      '--code',
      'echo out',
      '--json',
    ])
    expect(done.json()).toMatchObject({
      schema: 'skills.execute/v1',
      status: 'success',
      exitCode: 0,
      signal: null,
      stdoutSummary: 'out\n',
    })
  })

  it('shows the output that --output-mode selects', async () => {
    const code = 'for n in 1 2 3; do echo "line $n"; done'
    const own = ['run-code', '--language', 'shell', '--code', code]
    const intent = await runSkills([...own, '--output-mode', 'intent', '--query', 'LINE 2'])
    expect(intent.stdout).toContain('line 2')
    const minimal = await runSkills([...own, '--output-mode', 'minimal'])
    expect(minimal).toMatchObject({ code: 0, stdout: '' })
    expect(minimal.stderr).toMatch(/^Success: exit code 0/)
  })

  it('runs in a registered repository, in the folder of --cwd', async () => {
    const cwd = createFolder({ 'repo/sub/a.txt': 'found' })
    await runSkills(['config'], { cwd })
    const config = createFolder({
      'c.toml': `[repositories]\nown = ${JSON.stringify(join(cwd, 'repo'))}\n`,
    })
    const argv = ['run-code', '--language', 'shell', '--code', 'cat a.txt', '--repo', 'own']
    const done = await runSkills([...argv, '--cwd', 'sub', '--config', join(config, 'c.toml')], {
      cwd,
    })
    expect(done).toMatchObject({ code: 0, stdout: 'found' })
  })
})

describe('skills run-code --url, as a program', { timeout: PATIENCE }, () => {
  it('prints the same as locally', async () => {
    const server = await startTestServer()
    const own = ['run-code', '--language', 'shell', '--url', server.url, '--code']
    const code = 'echo "got $1"; cat; echo note >&2; exit 3'
    const done = await runSkills([...own, code, '--stdin', 'given', '--', 'a b'])
    expect(done).toMatchObject({ code: 1, stdout: 'got a b\ngiven' })
    expect(done.stderr).toContain('note\nFailed: exit code 3')
    const shown = await runSkills([...own, 'echo x', '--json'])
    expect(shown.json()).toMatchObject({ status: 'success', stdoutSummary: 'x\n' })
  })

  it('reports a repository that the remote machine does not have', async () => {
    const server = await startTestServer()
    const argv = ['run-code', '--language', 'shell', '--code', 'x', '--repo', 'mine']
    const done = await runSkills([...argv, '--url', server.url])
    expect(done.code).toBe(3)
    expect(done.stderr).toContain('"mine" is not a registered repository')
  })
})

describe('skills run-code', { timeout: PATIENCE }, () => {
  const python = ['run-code', '--language', 'python', '--code']

  it.each([
    [[...python, 'def main(args): return 5'], '5\n'],
    [[...python, 'from json import dumps\nmain = lambda args: 6'], '6\n'],
    [[...python, 'def main(): print(7)\n\nif __name__ == "__main__": main()'], '7\n'],
    [[...python, 'print(8)'], '8\n'],
    [[...python, 'def main(args): return 9\nprint(10)', '--as', 'program'], '10\n'],
    [['run-code', '--code', 'def main(args): return 11'], '11\n'],
  ])('detects the kind of %j', async (argv, stdout) => {
    expect(await runSkills(argv)).toMatchObject({ code: 0, stdout })
  })

  it.each([
    [['--arg', 'a=1', '--stdin', 'x'], '--arg is for functions, --stdin'],
    [['--as', 'function', '--repo', 'x'], '--repo is for a program, but --as is function'],
    [['--language', 'ruby', '--mount', 'x'], '--mount is for functions'],
    [['--language', 'ruby', '--as', 'function'], '--as function is for functions'],
    [['--language', 'shell', '--cwd', 'x'], '--cwd requires a repository'],
    [['--language', 'shell', '--max-lines', '4'], 'Expected 5 to 1000 for --max-lines, got "4"'],
    [['--language', 'shell', '--output-mode', 'all'], 'all'],
    [['--language', 'shell', '--timeout', '10ms'], 'Expected 100 ms to 10 minutes for --timeout'],
  ])('rejects %j', async (argv, message) => {
    const done = await runSkills(['run-code', '--code', 'x', ...argv])
    expect(done).toMatchObject({ code: 2, stdout: '' })
    expect(done.stderr).toContain(message)
  })

  it('reports an unregistered repository', async () => {
    const done = await runSkills(['run-code', '--language', 'shell', '--code', 'x', '--repo', 'x'])
    expect(done.code).toBe(3)
    expect(done.stderr).toContain('"x" is not a registered repository')
  })

  it('suggests what to install for a missing language', async () => {
    const empty = createFolder()
    const done = await runSkills(['run-code', '--language', 'elixir', '--code', 'x', '--json'], {
      env: { PATH: empty },
    })
    expect(done.code).toBe(3)
    expect(done.stdout + done.stderr).toContain('Install Elixir (package \\"elixir\\")')
  })
})
