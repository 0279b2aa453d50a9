// @module-tag slow
import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { formatElapsed } from '../../src/cli/ui/spinner.ts'
import { PROGRAM } from '../helpers/built.ts'
import { startProgram } from '../helpers/program.ts'
import { createFolder } from '../helpers/skills.ts'

/** Runs its arguments on a terminal of a given width; prints every byte of output. */
const ON_A_TERMINAL = `
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    os.write(1, piece)
os.waitpid(pid, 0)
`

/** Runs for a second; prints full, partial and wide lines, and control sequences. */
const SLOW = `
import sys, time
def main(args):
    print("first line", flush=True)
    time.sleep(0.6)
    sys.stdout.write("half a "); sys.stdout.flush()
    time.sleep(0.4)
    print("line", flush=True)
    print("\\x1b[31mred\\x1b[0m", flush=True)
    time.sleep(0.4)
    sys.stderr.write("no end")
    return {"text": "\\u009b31m"}
`

/** Reports progress for a second. */
const STEPS = `
import runtime, time
def main(args):
    for n in range(10):
        runtime.progress(n + 1, 10, "page %d" % (n + 1))
        time.sleep(0.1)
    return "done"
`

function seenOn(
  columns: number,
  env: Record<string, string> = {},
  { more = [], code = SLOW }: { more?: string[]; code?: string } = {},
): string {
  const cwd = createFolder({ 'slow.py': code })
  const args = ['-c', ON_A_TERMINAL, String(columns), ...PROGRAM, 'run-code', 'slow.py', ...more]
  const own = {
    PATH: process.env['PATH'],
    HOME: createFolder(),
    TERM: 'xterm',
    LANG: 'C.UTF-8',
    ...env,
  }
  return execFileSync('python3', args, { cwd, encoding: 'utf8', env: own })
}

const CLEAR = '\r\u001B[K'
const SPINNER = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|\u001B\[K/

/** Final screen content: cleared lines are gone. */
function screenOf(bytes: string): string[] {
  return bytes
    .split('\r\n')
    .map((line) => line.slice(line.lastIndexOf(CLEAR) + 1).replace('\u001B[K', ''))
}

describe('on a terminal', () => {
  it('a spinner shows state and elapsed time, and breaks no line', () => {
    const seen = seenOn(80)
    expect(seen).toMatch(/\u001B\[36m⠋\u001B\[39m (?:starting|running) slow\.py \ds/)
    expect(seen).toMatch(/running slow\.py [1-9]s/)
    expect(screenOf(seen)).toEqual([
      'first line',
      'half a line',
      '\\u001b[31mred\\u001b[0m',
      'no end',
      '{',
      '  "text": "\\u009b31m"',
      '}',
      '',
    ])
    // The spinner is not drawn between parts of a line.
    expect(seen).toContain('half a line\r\n')
  })

  it('progress of the code is a bar in one line, which is gone at the end', () => {
    const seen = seenOn(80, {}, { code: STEPS })
    expect(seen).toMatch(/█+░* \d0% [1-9]\/10 page [1-9]/)
    expect(screenOf(seen)).toEqual(['"done"', ''])
    expect(seenOn(20, {}, { code: STEPS })).toMatch(/⠋\S* \d0% [1-9]\/10/)
  })

  it.each([
    [16, 'C.UTF-8', /^⠋ slow\.py \ds$/],
    [12, 'C', /^\| \ds$/],
    [5, 'C.UTF-8', /^⠋ \ds$/],
  ])(
    'the spinner fits into %i columns in %s, without colour for NO_COLOR',
    (width, locale, first) => {
      const seen = seenOn(width, { NO_COLOR: '1', LC_ALL: locale })
      const drawn = seen
        .split(CLEAR)
        .slice(1)
        .map((each) => each.split('\r\n')[0] ?? '')
        .filter((each) => / \ds$/.test(each))
      expect(drawn[0]).toMatch(first)
      for (const each of drawn) expect(each.length).toBeLessThan(width)
      expect(seen).not.toContain('\u001B[3')
    },
  )

  it.each([
    ['on a dumb terminal', { TERM: 'dumb' }, []],
    ['with --quiet', {}, ['--quiet']],
  ])('there is no spinner %s', (_, env, more) => {
    expect(seenOn(80, env as Record<string, string>, { more })).not.toMatch(SPINNER)
    const steps = seenOn(80, env, { more, code: STEPS })
    expect(steps).toBe('"done"\r\n')
  })
})

describe('in a pipe', () => {
  it('the same run shows logs immediately, byte for byte, and no spinner', async () => {
    const cwd = createFolder({ 'slow.py': SLOW })
    const program = startProgram(['run-code', 'slow.py'], { cwd, env: { TERM: 'xterm' } })
    await program.says('half a')
    expect(program.stderr()).not.toContain('no end')
    expect(await program.ended).toBe(0)
    expect(program.stderr()).toBe('first line\nhalf a line\n\u001B[31mred\u001B[0m\nno end\n')
    expect(JSON.parse(program.stdout())).toEqual({ text: '\u009B31m' })
  })

  it('a closed reader ends the program without an error', async () => {
    const cwd = createFolder({ 'big.py': 'def main(args):\n    return ["x" * 10] * 250\n' })
    const line = `${PROGRAM.map((word) => `"${word}"`).join(' ')} run-code big.py | head -1`
    const seen = execFileSync('sh', ['-c', line], { cwd, encoding: 'utf8', env: process.env })
    expect(seen).toBe('[\n')
  })
})

describe('a full disk', () => {
  it('under stdout is reported without a stack trace', async () => {
    const line = `${PROGRAM.map((word) => `"${word}"`).join(' ')} list --json > /dev/full`
    const { status, stderr } = spawnSync('sh', ['-c', line], {
      cwd: createFolder(),
      encoding: 'utf8',
    })
    expect(stderr).toBe(
      'error Cannot write to standard output (ENOSPC)\n' +
        '  → Free some space, or write to another path, such as: > /tmp/output\n',
    )
    expect(status).toBe(3)
  })

  it('under stderr does not lose the result of a run', async () => {
    const cwd = createFolder({ 'loud.py': 'def main(args):\n    print("said")\n    return 1\n' })
    const line = `${PROGRAM.map((word) => `"${word}"`).join(' ')} run-code loud.py 2> /dev/full`
    const { status, stdout } = spawnSync('sh', ['-c', line], { cwd, encoding: 'utf8' })
    expect(stdout).toBe('1\n')
    expect(status).toBe(0)
  })
})

describe('formatElapsed()', () => {
  it.each([
    [0, '0s'],
    [59_999, '59s'],
    [60_000, '1m 00s'],
    [3_725_000, '62m 05s'],
  ])('formats %i as %s', (ms, text) => {
    expect(formatElapsed(ms)).toBe(text)
  })
})
