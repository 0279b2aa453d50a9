import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { PROGRAM } from '../../helpers/program.ts'
import { folder } from '../../helpers/skills.ts'

/** Types on a terminal what stands behind each thing that is waited for; prints how it ended. */
const DRIVER = `
import fcntl, json, os, pty, re, select, struct, sys, termios, time
steps, words = json.loads(sys.argv[1]), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    os.execv(words[0], words)
seen = b""
def wait_for(what):
    global seen
    end = time.time() + 30
    while not re.search(what.encode(), seen):
        if time.time() > end:
            raise SystemExit("nothing like %r in %r" % (what, seen))
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                seen += os.read(terminal, 4096)
            except OSError:
                return
for what, then in steps:
    wait_for(what)
    seen = b""
    if then == "resize":
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 111, 0, 0))
        time.sleep(0.5)
        then = "\\n"
    os.write(terminal, then.encode())
wait_for("never to be seen")
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`

const env = { PATH: process.env['PATH'], TERM: 'xterm-256color', LANG: 'C.UTF-8' }
const skill = { 'skills/demo/SKILL.md': '---\nname: demo\ndescription: x\n---\n# Demo\n' }

describe('skills shell', () => {
  it('is a terminal: prompt, size, colours, Ctrl-C and an exit code', () => {
    const cwd = folder(skill)
    const steps = [
      ['demo.*\\$ ', 'resize'],
      ['\\$ ', 'stty size; ls -d --color=always out\n'],
      ['(?s)33 111.*\u001b\\[01;36mout', 'echo up; sleep 600\n'],
      ['up\r', '\u0003'],
      ['\\^C', 'exit 5\n'],
    ]
    const words = ['-c', DRIVER, JSON.stringify(steps), ...PROGRAM, 'shell', 'demo']
    const ran = spawnSync('python3', words, {
      cwd,
      encoding: 'utf8',
      env: { ...env, HOME: folder() },
    })
    expect(ran.stderr).toBe('')
    expect(ran.stdout).toBe('5\n')
  }, 120_000)

  it('runs one line without a terminal, and needs one for more', () => {
    const [program = '', ...words] = PROGRAM
    const run = (...more: string[]) =>
      spawnSync(program, [...words, 'shell', 'demo', ...more], {
        cwd: folder(skill),
        encoding: 'utf8',
        input: 'typed',
        env: { ...env, HOME: folder() },
      })
    const one = run('-c', 'cat; echo err >&2; exit 3')
    expect([one.stdout, one.stderr, one.status]).toEqual(['typed', 'err\n', 3])
    const none = run()
    expect([none.stdout, none.status]).toEqual(['', 2])
    expect(none.stderr).toContain('There is no terminal to open a shell in')
    const document = JSON.parse(run('--json', '-c', 'echo hi').stdout) as { schema: string }
    expect(document).toMatchObject({ schema: 'skills.shell/v1', result: { stdout: 'hi\n' } })
  })
})
