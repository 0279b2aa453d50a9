// @module-tag slow
// @module-tag nightly
import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { PROGRAM } from '../../helpers/built.ts'
import { createFolder } from '../../helpers/skills.ts'

const buildEnv = () => ({ PATH: process.env['PATH'], HOME: createFolder(), LANG: 'C.UTF-8' })

function run(args: readonly string[], input: string) {
  const [program = '', ...words] = [...PROGRAM, 'repl', ...args]
  const options = { cwd: createFolder(), input, encoding: 'utf8', env: buildEnv() } as const
  const { status, stdout, stderr } = spawnSync(program, words, options)
  return { status, stdout, stderr }
}

/** Types each text when the text before it has appeared, on a terminal of 30 columns. */
const TYPE_ON_TERMINAL = `
import fcntl, json, os, pty, select, struct, sys, termios, time
steps = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 30, 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])
seen, start, limit = b"", 0, time.monotonic() + 60
while time.monotonic() < limit:
    if not select.select([terminal], [], [], 1)[0]:
        continue
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    seen += piece
    while steps:
        at = seen.find(steps[0][0].encode(), start)
        if at < 0: break
        expected, typed = steps.pop(0)
        start = at + len(expected)
        time.sleep(0.3)
        os.write(terminal, typed.encode())
else:
    os.kill(pid, 9)
os.write(1, seen)
status = os.waitpid(pid, 0)[1]
os.write(1, b"\\nstatus %d, steps left %d" % (os.WEXITSTATUS(status), len(steps)))
`

function runOnTerminal(
  args: readonly string[],
  steps: readonly (readonly [seen: string, typed: string])[],
): string {
  const words = ['-c', TYPE_ON_TERMINAL, JSON.stringify(steps), ...PROGRAM, 'repl', ...args]
  const env = { ...buildEnv(), TERM: 'xterm' }
  return execFileSync('python3', words, { cwd: createFolder(), encoding: 'utf8', env })
}

describe('skills repl without a skill', () => {
  it('executes Python statements of a pipe without prompts', () => {
    const { status, stdout, stderr } = run(
      [],
      'x = 40\ndef f(a):\n    return a + x\nf(2)\nprint("p")\n',
    )
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '42\np\n', stderr: '' })
  })

  it('executes Node statements of a pipe', () => {
    const input = 'const a = 1\nconst a = 2\n{ a }\nawait Promise.resolve(a)\n'
    expect(run(['--language', 'node'], input)).toMatchObject({ status: 0, stdout: '{ a: 2 }\n2\n' })
  })

  it('continues after an error, and exits with 1', () => {
    const { status, stdout, stderr } = run([], 'x = 1\n1/0\nx\n')
    expect([status, stdout]).toEqual([1, '1\n'])
    expect(stderr).toContain('File "<cell 2>", line 1')
    expect(stderr).toContain('ZeroDivisionError')
  })

  it('has commands that begin with a dot', () => {
    const { stdout, stderr, status } = run([], 'x = 1\n.restart\nx\n.help\n.exit\nprint(1)\n')
    expect(stdout).toMatch(/^\.help +Show this list\n\.restart /)
    expect(stdout).not.toContain('1\n')
    expect(stderr).toContain("NameError: name 'x' is not defined")
    expect(status).toBe(1)
    expect(run([], '.bogus\n')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/\.help/),
    })
  })

  it('ends a statement at --timeout, and keeps the variables', () => {
    const { stdout, stderr } = run(['--timeout', '1'], 'x = 1\nwhile True: pass\nx\n')
    expect(stdout).toBe('1\n')
    expect(stderr).toContain('Timeout')
  })

  it('refuses wrong options with the next step', () => {
    expect(run(['--arg', 'a=1'], '')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/--arg needs a skill[^]*skills repl <skill>/),
    })
    expect(run(['./x', '--language', 'node'], '')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/--language is for sessions without a skill/),
    })
    expect(run(['--json'], '')).toMatchObject({ status: 2 })
    expect(run(['--language', 'ruby'], '')).toMatchObject({ status: 2 })
  })

  it('prompts on a terminal: blocks, history, Ctrl-C and Ctrl-D', () => {
    const seen = runOnTerminal(
      [],
      [
        ['>>> ', 'x = 5\r'],
        ['>>> ', 'def f():\r'],
        ['... ', '  return x + 1\r'],
        ['... ', '\r'],
        ['>>> ', 'f()\r'],
        ['\n6', '\u001b[A\r'],
        ['\n6', 'import time; time.sleep(60)\r'],
        ['sleep(60)\r', '\u0003'],
        ['KeyboardInterrupt', 'x * 100\r'],
        ['\n500', '(1 +\u0003'],
        ['>>> ', '.help\r'],
        ['.restart', '\u0004'],
      ],
    )
    expect(seen).toContain('status 0, steps left 0')
    // The introduction fits into the terminal.
    const [intro = ''] = seen.split('>>> ')
    for (const line of intro.split('\n')) expect(line.trimEnd().length).toBeLessThanOrEqual(30)
  })
})
