import { execFile, execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdtempSync, rmSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plant } from '../../helpers/skills.ts'

const PROBES = fileURLToPath(new URL('probes.py', import.meta.url))
const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const isRoot = process.getuid?.() === 0
const CANARY = 'canary-6c1d2f'

/** Where even outside nothing can be shown, and why. */
const NO_CONTROL: Record<string, string> = {
  'becomes root': 'the control runs as root already',
  'opens sysrq-trigger for writing': 'some kernels have none',
  'calls with the numbers of x32': 'outside, too, only the missing kill tells them apart',
}

type Answers = Record<string, string>

const dir = mkdtempSync('/tmp/skills-attack-')
const server = createServer((socket) => socket.end())
let socketPort = 0
const abstractName = `skills-attack-${process.pid}`
let abstractServer: ReturnType<typeof execFile>
let control: Answers = {}

/** A host process in Python listens on the abstract name: Node cannot. */
const LISTEN = `import socket, sys
s = socket.socket(socket.AF_UNIX); s.bind("\\0" + sys.argv[1]); s.listen(); print("up", flush=True)
while True: s.accept()[0].close()`

beforeAll(async () => {
  chmodSync(dir, 0o755)
  plant(dir, {
    'skill/skill.toml':
      'name = "attack.probes"\nversion = "0.1.0"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "python"\nentrypoint = "probes.py"\nexport = "main"\n[permissions]\nnetwork = ["https://example.com", "http://192.0.2.1:8080"]\n',
    'skill/probes.py': readFileSync(PROBES),
    'host/file.txt': 'of the host',
    'host/other/SKILL.md': 'another skill',
  })
  chmodSync(join(dir, 'host'), 0o755)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  socketPort = typeof address === 'object' && address ? address.port : 0
  abstractServer = execFile('/usr/bin/python3', ['-c', LISTEN, abstractName])
  await new Promise((resolve) => abstractServer.stdout?.once('data', resolve))
  cpSync(join(dir, 'skill'), join(dir, 'outside'), { recursive: true })
  control = await outside()
})

afterAll(() => {
  abstractServer.kill()
  server.close()
  rmSync(dir, { recursive: true, force: true })
})

/** `init` is the process in the place of the sandbox's PID 1. */
function known(init: number): string {
  return JSON.stringify({
    INIT: init,
    HOST_FILE: join(dir, 'host/file.txt'),
    HOST_DIR: join(dir, 'host'),
    HOST_PORT: socketPort,
    HOST_SOCKET: abstractName,
    HOST_PID: process.pid,
    CANARY,
  })
}

const run = promisify(execFile)

async function outside(): Promise<Answers> {
  const file = join(dir, 'outside/probes.py')
  const env = { ...process.env, SKILLS_CANARY: CANARY }
  const { stdout } = await run('/usr/bin/python3', [file, known(process.pid)], { env, cwd: dir })
  return JSON.parse(stdout) as Answers
}

/** Through the real command line, in a process of its own. */
async function inside(
  asUser: boolean,
  more: readonly string[],
): Promise<{ answers: Answers; isolation: Answers }> {
  const home = mkdtempSync(join(dir, 'home-'))
  chmodSync(home, 0o777)
  const user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
  const words = [
    ...(asUser && isRoot ? user : ['env']),
    process.execPath,
    '--import',
    join(ROOT, 'node_modules/tsx/dist/loader.mjs'),
    join(ROOT, 'scripts/dev.js'),
    'exec',
    join(dir, 'skill'),
    '--json',
    '--no-config',
    '--args',
    known(1),
    ...more,
  ]
  const [program = '', ...args] = words
  const env = { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home, SKILLS_CANARY: CANARY }
  const { stdout } = await run(program, args, { env, cwd: dir, maxBuffer: 1e8 })
  const result = JSON.parse(stdout) as { output: Answers; isolation: Answers }
  return { answers: await whole(result, home), isolation: result.isolation }
}

/** The list is longer than an output may be: it comes as a blob. */
async function whole(result: { output: Answers }, home: string): Promise<Answers> {
  const id = result.output['blob_id']?.slice(5)
  if (id === undefined) return result.output
  return JSON.parse(
    readFileSync(join(home, `.local/share/skills/blobs/${id}/content`), 'utf8'),
  ) as Answers
}

const names = [...readFileSync(PROBES, 'utf8').matchAll(/^ {4}"([^"]+)": /gm)].map(
  (match) => match[1] as string,
)

describe('the list of attempts', () => {
  const whyNot = isRoot ? '' : ' (not run: only root gets through everywhere outside)'
  it.skipIf(!isRoot)(`has every case with a control or a reason${whyNot}`, () => {
    expect(names.length).toBeGreaterThanOrEqual(50)
    const failing = names.filter((name) => control[name] !== 'done' && !(name in NO_CONTROL))
    // Shown by name: these would pass inside without being kept out by anything.
    expect(failing.map((name) => `${name}: ${control[name]}`)).toEqual([])
  })
})

describe.each([
  ['root', false, 'none'],
  ['an ordinary user', true, 'none'],
  ['root with a network', false, 'filtered'],
  ['an ordinary user with a network', true, 'filtered'],
] as const)('a skill run by %s', (who, asUser, network) => {
  const reason = asUser || isRoot ? '' : ' (not run: these tests run as an ordinary user)'
  let answers: Answers = {}
  let isolation: Answers = {}

  beforeAll(async () => {
    if (reason === '')
      ({ answers, isolation } = await inside(asUser, network === 'none' ? [] : ['--allow-network']))
  })

  it.skipIf(reason !== '')(`is told what was applied${reason}`, () => {
    expect(isolation).toMatchObject({ backend: 'bubblewrap', seccomp: true, network })
    expect(Number(isolation['user'])).toBeGreaterThanOrEqual(1000)
  })

  it.skipIf(reason !== '').each(names)(`never %s${reason}`, (name) => {
    expect(answers[name], `as ${who}`).toBeDefined()
    expect(answers[name]).not.toBe('done')
    // A mistake in the probe itself must not pass for a refusal.
    expect(answers[name]).toMatch(
      /^(?:OSError|PermissionError|FileNotFoundError|ConnectionRefusedError|ProcessLookupError|TimeoutError)/,
    )
  })
})

it('has bubblewrap to test with', () => {
  expect(execFileSync('bwrap', ['--version'], { encoding: 'utf8' })).toMatch(/^bubblewrap/)
})
