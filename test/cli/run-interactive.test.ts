// @module-tag slow
// @module-tag nightly
import { execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createServer, connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PROGRAM } from '../helpers/built.ts'
import { createFolder } from '../helpers/skills.ts'

const PYTHON_CODE = `
def helper(n):
    value = n * 2
    breakpoint()
    return value

def main(args):
    total = helper(args["n"])
    if total > 10:
        raise ValueError("too large")
    return total
`

const NODE_CODE = `export function main(args) {
  const double = args.n * 2
  return double
}
`

function createSkill(language: 'python' | 'node', code: string): string {
  const file = language === 'python' ? 'main.py' : 'main.mjs'
  return createFolder({
    'skill/skill.toml': `name = "test.talk"
version = "0.1.0"
description = "x"
kind = "action"
[runtime]
language = "${language}"
entrypoint = "${file}"
export = "main"
[inputs.n]
type = "integer"
description = "x"
required = true
`,
    [`skill/${file}`]: code,
  })
}

const buildEnv = () => ({ PATH: process.env['PATH'], HOME: createFolder(), LANG: 'C.UTF-8' })

function run(cwd: string, args: readonly string[], input: string) {
  const [program = '', ...words] = [...PROGRAM, ...args]
  const options = { cwd, input, encoding: 'utf8', env: buildEnv() } as const
  const { status, stdout, stderr } = spawnSync(program, words, options)
  return { status, stdout, stderr }
}

/** Types each text when the text before it has appeared on the terminal. */
const TYPE_ON_TERMINAL = `
import json, os, pty, select, sys, time
steps = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
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
    while steps and seen.find(steps[0][0].encode(), start) != -1:
        expected, typed = steps.pop(0)
        start = len(seen)
        time.sleep(0.3)
        os.write(terminal, typed.encode())
else:
    os.kill(pid, 9)
os.write(1, seen)
status = os.waitpid(pid, 0)[1]
os.write(1, b"\\nstatus %d, steps left %d" % (os.WEXITSTATUS(status), len(steps)))
`

function runOnTerminal(
  cwd: string,
  args: readonly string[],
  steps: readonly (readonly [seen: string, typed: string])[],
): string {
  const words = ['-c', TYPE_ON_TERMINAL, JSON.stringify(steps), ...PROGRAM, ...args]
  const env = { ...buildEnv(), TERM: 'xterm' }
  return execFileSync('python3', words, { cwd, encoding: 'utf8', env })
}

describe('skills exec --pdb', () => {
  const exec = ['exec', './skill', '--pdb', '--arg']

  it('stops at breakpoint(), and continues to the result', () => {
    const cwd = createSkill('python', PYTHON_CODE)
    const { status, stdout, stderr } = run(cwd, [...exec, 'n=2'], 'p value\nup\np args\nc\n')
    expect([status, stdout]).toEqual([0, '4\n'])
    expect(stderr).toContain('main.py(5)helper()')
    expect(stderr).toContain('(Pdb) 4\n')
    expect(stderr).toContain("(Pdb) {'n': 2}\n")
  })

  it('stops after an exception, in the frame that raised it', () => {
    const cwd = createSkill('python', PYTHON_CODE)
    const { status, stderr } = run(cwd, [...exec, 'n=20'], 'c\np total\nq\n')
    expect(status).toBe(1)
    expect(stderr).toContain('(Pdb) 40\n')
    expect(stderr).toContain('failed: ValueError: too large')
  })

  it('ends the run if the user quits', () => {
    const cwd = createSkill('python', PYTHON_CODE)
    const { status, stderr } = run(cwd, [...exec, 'n=2'], 'q\n')
    expect(status).toBe(1)
    expect(stderr).toContain('DebuggerQuit: The debugger ended the run')
  })

  it('works on a terminal', () => {
    const cwd = createSkill('python', PYTHON_CODE)
    const seen = runOnTerminal(
      cwd,
      [...exec, 'n=2'],
      [
        ['(Pdb) ', 'p value * 100\n'],
        ['400', 'c\n'],
      ],
    )
    expect(seen).toContain('status 0, steps left 0')
  })
})

describe('skills repl', () => {
  it('executes Python statements of a pipe, with the names and inputs of the skill', () => {
    const cwd = createSkill('python', PYTHON_CODE)
    const statements = `x = args["n"]
for each in range(2):
    print("line", each + x)
if x > 100:
    print("large")
else:
    print("small")
1 / 0
helper.__name__
runtime.blobs.write_text("a")[:5]
def double(n):
    return n * 2
double(21)`
    const { status, stdout, stderr } = run(cwd, ['repl', './skill', '--arg', 'n=7'], statements)
    expect(stdout).toBe("line 7\nline 8\nsmall\n'helper'\n'blob:'\n42\n")
    expect(stderr).toContain('ZeroDivisionError: division by zero')
    expect(status).toBe(0)
  })

  it('executes Node statements of a pipe, in order', () => {
    const cwd = createSkill('node', NODE_CODE)
    const statements = `const x = args.n
await new Promise((resolve) => setTimeout(resolve, 50, 'waited'))
function double(n) {
  return n * 2
}
double(x)
throw new Error('mistake')
main({ n: 4 })
runtime.blobs.writeText('a').slice(0, 5)`
    const { status, stdout } = run(cwd, ['repl', './skill', '--arg', 'n=7'], statements)
    expect(stdout).toBe("'waited'\n14\nUncaught Error: mistake\n8\n'blob:'\n")
    expect(status).toBe(0)
  })

  it('starts without inputs, and shows why code of the skill cannot be loaded', () => {
    const cwd = createSkill('python', 'import not_there\ndef main(args):\n    pass\n')
    const { status, stdout, stderr } = run(
      cwd,
      ['repl', './skill'],
      'args\nargs.get("n")\n"still here"',
    )
    expect([status, stdout]).toEqual([0, "{}\n'still here'\n"])
    expect(stderr).toContain("No module named 'not_there'")
  })

  it('has the limits of a run, and no files of the host', () => {
    const cwd = createSkill('python', PYTHON_CODE)
    const loop = run(cwd, ['repl', './skill', '--timeout', '2s'], 'while True:\n    pass\n\n')
    expect(loop.status).toBe(1)
    expect(loop.stderr).toContain('Timeout')
    const read = run(cwd, ['repl', './skill'], 'open("/etc/shadow")\n')
    expect(read.stderr).toContain('No such file or directory')
  })

  it.each([
    {
      language: 'python',
      code: PYTHON_CODE,
      prompt: '>>> ',
      loop: 'import time; print("loop" + "ing"); time.sleep(600)\n',
      message: 'KeyboardInterrupt',
    },
    {
      language: 'node',
      code: NODE_CODE,
      prompt: '> ',
      loop: 'console.log("loop" + "ing"); while (true) {}\n',
      message: 'interrupted',
    },
  ] as const)(
    'on a terminal of $language, Ctrl-C interrupts a statement, and Ctrl-D ends the session',
    ({ language, code, prompt, loop, message }) => {
      const cwd = createSkill(language, code)
      const up = '\u001B[A'
      const seen = runOnTerminal(
        cwd,
        ['repl', './skill', '--arg', 'n=7'],
        [
          [prompt, 'value = 6 * 7\n'],
          [prompt, loop],
          ['looping', '\u0003'],
          [message, `value + 1\n`],
          ['43', `${up.repeat(1)}00\n`],
          ['142', '\u0004'],
        ],
      )
      expect(seen).toContain('status 0, steps left 0')
    },
  )
})

/** Connects to an address; false if nothing accepts the connection. */
async function canConnect(port: number, host: string): Promise<boolean> {
  const socket = connect(port, host)
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(3000) })
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

/** Connects by WebSocket, resumes the code, and evaluates an expression where it pauses. */
const INSPECTOR_CLIENT = `
const [url, line, expression] = process.argv.slice(1)
const client = new WebSocket(url)
const values = []
let id = 0
const send = (method, params = {}) => client.send(JSON.stringify({ id: ++id, method, params }))
client.onopen = () => {
  send('Runtime.enable')
  send('Debugger.enable')
  send('Debugger.setBreakpointByUrl', { urlRegex: 'main\\\\.mjs$', lineNumber: Number(line) })
  send('Runtime.runIfWaitingForDebugger')
}
client.onmessage = ({ data }) => {
  const { method, params, result } = JSON.parse(data)
  if (result?.result) values.push(result.result.value)
  if (method === 'Debugger.paused') {
    const [{ callFrameId }] = params.callFrames
    send('Debugger.evaluateOnCallFrame', { callFrameId, expression })
    send('Debugger.resume')
  }
  if (method === 'Runtime.executionContextDestroyed') client.close()
}
client.onclose = () => console.log(JSON.stringify(values))
`

async function debug(
  url: string,
  { line, expression }: { line: number; expression: string },
): Promise<unknown> {
  const args = ['--experimental-websocket', '-e', INSPECTOR_CLIENT, url, String(line), expression]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 })
  return JSON.parse(stdout)
}

async function startInspected(cwd: string, more: readonly string[] = []) {
  const [program = '', ...words] = [...PROGRAM, 'exec', './skill', '--arg', 'n=21', ...more]
  const child = spawn(program, words, { cwd, env: buildEnv(), stdio: 'pipe' })
  onTestFinished(() => void child.kill('SIGINT'))
  const ended = once(child, 'exit')
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  await expect.poll(() => stderr, { timeout: 30_000 }).toMatch(/ws:\/\/\S+/)
  const url = /ws:\/\/\S+/.exec(stderr)?.[0] ?? ''
  return { url, ended, output: () => stdout }
}

describe('skills exec --inspect', () => {
  it.each(['bubblewrap', 'process'])(
    'lets a client debug the code on the backend %s, on the loopback interface only',
    async (backend) => {
      const cwd = createSkill('node', NODE_CODE)
      const { url, ended, output } = await startInspected(cwd, ['--inspect', '--backend', backend])
      const { port, hostname } = new URL(url)
      expect(hostname).toBe('127.0.0.1')
      const others = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
      for (const { address, internal, family } of others) {
        if (internal || family !== 'IPv4') continue
        expect(await canConnect(Number(port), address)).toBe(false)
      }
      const values = await debug(url, { line: 2, expression: 'double + args.n' })
      await ended
      expect([values, output()]).toEqual([[63], '42\n'])
    },
  )

  it.each([
    ['bubblewrap', 'refused'],
    // Without isolation, code reaches every port of this machine.
    ['process', 'connected'],
  ])(
    'gives code on the backend %s no way to other ports of this machine',
    async (backend, expected) => {
      const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
      onTestFinished(() => void server.close())
      await once(server, 'listening')
      const { port } = server.address() as { port: number }
      const code = `import { connect } from 'node:net'
export async function main() {
  return await new Promise((resolve) => {
    const socket = connect(${port}, '127.0.0.1')
    socket.on('connect', () => resolve('connected'))
    socket.on('error', () => resolve('refused'))
  })
}`
      const cwd = createSkill('node', code)
      const { url, ended, output } = await startInspected(cwd, ['--inspect', '--backend', backend])
      await debug(url, { line: 100, expression: '' })
      await ended
      expect(output()).toBe(`"${expected}"\n`)
    },
  )

  it('refuses a port that is in use', async () => {
    const cwd = createSkill('node', NODE_CODE)
    const server = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const taken = run(cwd, ['exec', './skill', '--arg', 'n=1', `--inspect=${port}`], '')
    expect(taken.status).toBe(2)
    expect(taken.stderr).toContain(`Port ${port} of this machine cannot be used`)
  })
})

describe('options of debuggers', () => {
  it.each([
    ['python', ['--inspect'], 'Use --pdb instead'],
    ['node', ['--pdb'], 'Use --inspect instead'],
    ['python', ['--pdb', '--inspect'], 'Expected --pdb or --inspect, got both'],
    ['node', ['--inspect', '80'], 'Expected a port from 1024 to 65535'],
    ['node', ['--inspect=x'], 'Expected a port from 1024 to 65535'],
    ['python', ['--pdb', '--json'], '--pdb cannot be combined with --json'],
    ['python', ['--pdb', '--watch'], '--pdb cannot be combined with --watch'],
    ['python', ['--pdb', '--url', 'http://127.0.0.1:1'], '--pdb cannot be combined with --url'],
  ] as const)('of %s: %j is explained', (language, options, message) => {
    const cwd = createSkill(language, language === 'python' ? PYTHON_CODE : NODE_CODE)
    const { status, stdout, stderr } = run(cwd, ['exec', './skill', '--arg', 'n=1', ...options], '')
    expect(status).toBe(2)
    expect(stdout + stderr).toContain(message)
  })

  it('skills repl refuses --json and languages without a session', () => {
    const cwd = createSkill('python', PYTHON_CODE)
    expect(run(cwd, ['repl', './skill', '--json'], '')).toMatchObject({ status: 2 })
    expect(run(cwd, ['repl', './skill', '--args', '-'], '{}')).toMatchObject({ status: 2 })
    const shell = createFolder({
      'skill/skill.toml':
        'name = "test.sh"\nversion = "0.1.0"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "shell"\nentrypoint = "main.sh"\nexport = "main"\n',
      'skill/main.sh': 'main() { echo 1; }\n',
    })
    expect(run(shell, ['repl', './skill'], '').stderr).toContain('Python, Node and TypeScript')
  })
})
