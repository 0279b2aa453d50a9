import { execFile } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect, type AddressInfo, type Server } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NetworkDecision } from '../../../../src/core/sandbox/egress/decision.ts'
import { plant } from '../../../helpers/skills.ts'
import { CERTIFICATE, KEY } from './certificate.ts'

const HERE = fileURLToPath(new URL('./', import.meta.url))
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const isRoot = process.getuid?.() === 0

const dir = mkdtempSync('/tmp/skills-egress-')
const servers: Server[] = []
const ports = { http: 0, https: 0 }

beforeAll(async () => {
  chmodSync(dir, 0o755)
  const http = createHttpServer((request, response) => {
    if (request.url !== '/away') return void response.end(`http ${request.url}`)
    response.writeHead(302, { Location: `http://other.example.test:${ports.http}/` })
    response.end()
  })
  const https = createTlsServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
    response.end(`https ${request.url}`)
  })
  for (const [name, server] of [
    ['http', http],
    ['https', https],
  ] as const) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ports[name] = (server.address() as AddressInfo).port
    servers.push(server)
  }
  plant(dir, { 'authority.pem': CERTIFICATE })
  copyFileSync(join(HERE, 'resolver.mjs'), join(dir, 'resolver.mjs'))
})

afterAll(() => {
  for (const server of servers) server.close()
  rmSync(dir, { recursive: true, force: true })
})

type Attempt = readonly (string | number)[]

interface Asked {
  /** Of the skill; none at all unless given. */
  list?: readonly string[]
  attempts: readonly Attempt[]
  /** What the operator allows besides; both servers of these tests unless given. */
  allowPrivate?: string
  words?: readonly string[]
  atOnce?: boolean
  onStdout?: (text: string) => void
}

interface Told {
  run_id: string
  status: string
  output: unknown[]
  logs_preview: string
  isolation: { network: string; user: number }
  stderr: string
}

const run = promisify(execFile)

/** Through the real command line, in a process of its own. */
async function inside(asUser: boolean, asked: Asked): Promise<Told & { home: string }> {
  const home = mkdtempSync(join(dir, 'home-'))
  chmodSync(home, 0o777)
  const list = asked.list ?? []
  plant(home, {
    'skill/skill.toml': `name = "try.network"\nversion = "0.1.0"\ndescription = "x"\nkind = "action"\n[runtime]\nlanguage = "python"\nentrypoint = "attempts.py"\nexport = "main"\n[permissions]\nnetwork = ${JSON.stringify(list)}\n`,
    'skill/attempts.py': readFileSync(join(HERE, 'attempts.py')),
  })
  const user = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups']
  const words = [
    ...(asUser && isRoot ? user : ['env']),
    process.execPath,
    ...['--import', join(dir, 'resolver.mjs')],
    ...['--import', join(ROOT, 'node_modules/tsx/dist/loader.mjs')],
    ...[join(ROOT, 'scripts/dev.js'), 'exec', join(home, 'skill'), '--json', '--no-config'],
    ...['--args', JSON.stringify({ attempts: asked.attempts, at_once: asked.atOnce === true })],
    ...(asked.words ?? ['--allow-network']),
  ]
  const [program = '', ...args] = words
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: home,
    TMPDIR: home,
    SSL_CERT_FILE: join(dir, 'authority.pem'),
    SKILLS_RUN_NETWORK_ALLOW_PRIVATE:
      asked.allowPrivate ?? `127.0.0.1:${ports.http},127.0.0.1:${ports.https}`,
  }
  const running = run(program, args, { env, cwd: dir, maxBuffer: 1e8 })
  running.child.stderr?.on('data', (chunk) => asked.onStdout?.(String(chunk)))
  const { stdout, stderr } = await running.catch(
    (error: { stdout: string; stderr: string }) => error,
  )
  const document = (stdout === '' ? {} : JSON.parse(stdout)) as Told
  return { ...document, stderr, home }
}

/** What the run's record has of the network. */
async function recorded({ home, run_id }: Told & { home: string }): Promise<NetworkDecision[]> {
  const dev = [
    '--import',
    join(ROOT, 'node_modules/tsx/dist/loader.mjs'),
    join(ROOT, 'scripts/dev.js'),
  ]
  const env = { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home }
  const words = [...dev, 'runs', 'show', run_id, '--json', '--no-config']
  const { stdout } = await run(process.execPath, words, { env, cwd: home })
  const record = JSON.parse(stdout) as { network?: NetworkDecision[] }
  return (
    record.network ?? (record as unknown as { run: { network: NetworkDecision[] } }).run.network
  )
}

const api = (scheme: 'http' | 'https') => `${scheme}://api.example.test:${ports[scheme]}`

describe.each([
  ['root', false],
  ['an ordinary user', true],
] as const)('a run started by %s', (_who, asUser) => {
  const reason = asUser || isRoot ? '' : ' (not run: these tests run as an ordinary user)'
  const test = it.skipIf(reason !== '')

  test(`reaches its list by every way, and nothing else by any${reason}`, async () => {
    const both = [api('http'), api('https')]
    const told = await inside(asUser, {
      list: both,
      attempts: [
        ['by_urllib', `${both[0]}/a`],
        ['by_urllib', `${both[1]}/b`],
        ['like_requests', `${both[0]}/c`],
        ['like_requests', `${both[1]}/d`],
        ['without_proxy', `${both[0]}/e`],
        ['without_proxy', `${both[1]}/f`],
        ['by_socket', 'api.example.test', ports.http],
        ['by_tls', 'api.example.test', ports.https],
        ['by_urllib', `http://evil.test:${ports.http}/`],
        ['by_urllib', `https://evil.test:${ports.https}/`],
        ['without_proxy', `http://evil.test:${ports.http}/`],
        ['by_socket', '127.0.0.1', ports.http, 'evil.test'],
        ['by_tls', '127.0.0.1', ports.https, 'other.example.test'],
        ['connect', '127.0.0.1', 1],
        ['connect', '1.1.1.1', 443],
        ['connect', '::1', ports.http],
        ['by_urllib', `${both[0]}/away`],
      ],
    })
    expect(told.stderr).toContain('Network allowed (listed)')
    const good = told.output.slice(0, 8)
    expect(good.slice(0, 6)).toEqual([
      'http /a',
      'https /b',
      '200 http /c',
      '200 https /d',
      'http /e',
      'https /f',
    ])
    expect(good[6]).toMatch(/^HTTP\/1.1 200 OK[^]*http \/raw$/)
    expect(good[7]).toMatch(/^HTTP\/1.[01] 200 OK/)
    expect(told.output.slice(8)).toEqual([
      expect.stringMatching(/HTTP Error 403: .*evil.test:\d+ is not in permissions.network/),
      expect.stringMatching(
        /Tunnel connection failed: 403 .*evil.test:\d+ is not in permissions.network/,
      ),
      expect.stringMatching(/Name or service not known/),
      expect.stringMatching(/^HTTP\/1.1 403 /),
      expect.stringMatching(/access denied/i),
      expect.stringMatching(/^ConnectionRefusedError/),
      expect.stringMatching(/Network is unreachable/),
      expect.stringMatching(
        /^ConnectionRefusedError|Cannot assign requested address|Network is unreachable/,
      ),
      expect.stringMatching(/HTTP Error 403: .*other.example.test/),
    ])
    expect(told.isolation.network).toBe('filtered')
    const decisions = await recorded(told)
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(9)
    expect(new Set(decisions.map(({ via }) => via))).toEqual(new Set(['proxy', 'direct', 'dns']))
    expect(
      decisions.filter(({ host }) => host === 'evil.test').map(({ reason: why }) => why),
    ).toEqual(Array.from({ length: 4 }, () => 'host-not-listed'))
  })

  test(`has no right, no descriptor and no way to more that another has not${reason}`, async () => {
    const told = await inside(asUser, {
      list: [api('http')],
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
        ['by_urllib', `${api('http')}/still`],
        ['after', `${api('http')}/after`],
        ['after', `http://evil.test:${ports.http}/`],
      ],
    })
    const [rights, files, environment, ...rest] = told.output
    expect(rights).toEqual(Array.from({ length: 5 }, () => '0000000000000000'))
    // The three of every process, the channel of the run, and the folder that is being listed.
    expect((files as number[]).filter((fd) => fd > 2 && fd !== 7)).toHaveLength(1)
    const proxy = 'http://127.0.0.1:3128'
    const names = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: '' }
    expect(environment).toMatchObject({
      ...names,
      http_proxy: proxy,
      https_proxy: proxy,
      no_proxy: '',
    })
    expect(rest).toEqual([
      'Operation not permitted',
      'Operation not permitted',
      ...Array.from({ length: 4 }, () => expect.stringMatching(/Address already in use/)),
      expect.stringMatching(/^(?:PermissionError|OSError)/),
      'bound',
      'http /still',
      'http /after',
      expect.stringMatching(/Name or service not known/),
    ])
  })

  test(`with an empty list, or without leave, has no network${reason}`, async () => {
    const attempts: Attempt[] = [
      ['by_urllib', `${api('http')}/`],
      ['connect', '127.0.0.1', ports.http],
      ['connect', '127.0.0.1', 3128],
      ['environment'],
    ]
    const refused = [
      expect.stringMatching(/Name or service not known|Temporary failure in name resolution/),
      expect.stringMatching(/^ConnectionRefusedError/),
      expect.stringMatching(/^ConnectionRefusedError/),
      {},
    ]
    const empty = await inside(asUser, { list: [], attempts })
    expect(empty.output).toEqual(refused)
    expect(empty.isolation.network).toBe('none')
    const without = await inside(asUser, { list: [api('http')], attempts, words: [] })
    expect(without.output).toEqual(refused)
    expect(without.isolation.network).toBe('none')
    expect(without.stderr).toContain('This run has no network')
    const control = await inside(asUser, { list: [api('http')], attempts: attempts.slice(0, 1) })
    expect(control.output).toEqual(['http /'])
  })

  test(`keeps to its own list while another run has another${reason}`, async () => {
    const other = `http://other.example.test:${ports.http}`
    const attempts: Attempt[] = Array.from({ length: 10 }, () => [
      ['by_urllib', `${api('http')}/`],
      ['by_urllib', `${other}/`],
      ['without_proxy', `${api('http')}/`],
      ['without_proxy', `${other}/`],
    ]).flat() as Attempt[]
    const [first, second] = await Promise.all([
      inside(asUser, { list: [api('http')], attempts }),
      inside(asUser, { list: [other], attempts }),
    ])
    const got = (told: Told) => told.output.map((each) => each === 'http /')
    expect(got(first)).toEqual(attempts.map(([, url]) => String(url).includes('api.')))
    expect(got(second)).toEqual(attempts.map(([, url]) => String(url).includes('other.')))
  })

  test(`is kept from private addresses, also behind listed names${reason}`, async () => {
    const list = [
      'http://inside.example.test',
      `http://127.0.0.1:${ports.http}`,
      `http://[::1]:${ports.http}`,
      'http://169.254.169.254',
      api('http'),
    ]
    const attempts = list.map((url) => ['by_urllib', `${url}/`] as const)
    const told = await inside(asUser, { list, attempts, allowPrivate: '' })
    const codes = ['private', 'loopback', 'loopback', 'metadata', 'loopback']
    expect(told.output).toEqual(
      codes.map((code) => expect.stringContaining(`(${code}-address)`) as string),
    )
    const control = await inside(asUser, { list, attempts: attempts.slice(-1) })
    expect(control.output).toEqual(['http /'])
  })

  test(`cannot be reached from outside where it listens${reason}`, async () => {
    let outside: Promise<string> | undefined
    const told = await inside(asUser, {
      list: [api('http')],
      attempts: [['listen', 2]],
      onStdout: (text) => {
        const port = /port (\d+)/.exec(text)?.[1]
        if (port !== undefined) outside ??= reach(Number(port))
      },
    })
    expect(told.output).toEqual([
      { own: 'connected', other: expect.stringMatching(/^TimeoutError/) },
    ])
    expect(await outside).toBe('ECONNREFUSED')
  })

  test(`has no more than a share of connections, and its neighbour its own${reason}`, async () => {
    const list = [api('http')]
    const [greedy, modest] = await Promise.all([
      inside(asUser, {
        list,
        attempts: [
          ['many', '127.0.0.1', 3128, 200],
          ['by_urllib', `${api('http')}/`],
        ],
      }),
      inside(asUser, {
        list,
        attempts: Array.from({ length: 5 }, () => ['by_urllib', `${api('http')}/`]),
      }),
    ])
    expect(greedy.status).toBe('completed')
    expect((await recorded(greedy)).some(({ reason: why }) => why === 'too-many')).toBe(true)
    expect(modest.output).toEqual(Array.from({ length: 5 }, () => 'http /'))
  })
})

describe('leave to use the network', () => {
  it('is refused for an entry that cannot be read', async () => {
    const { stderr, output } = await inside(false, { list: ['https://*'], attempts: [] })
    expect(output).toBeUndefined()
    expect(stderr).toContain('permissions.network has "https://*", but it allows every host')
  })

  it('is refused where the configuration cannot be read', async () => {
    const told = await inside(false, {
      list: [api('http')],
      attempts: [],
      allowPrivate: '10.0.0.0/64',
    })
    expect(told.output).toBeUndefined()
    expect(told.stderr).toContain('run.network.allow_private has "10.0.0.0/64", expected')
  })

  it('is refused where a backend cannot hold a run to a list', async () => {
    const words = ['--allow-network', '--backend', 'process']
    const { stderr } = await inside(false, { list: [api('http')], attempts: [], words })
    expect(stderr).toContain('nothing here can hold a run to the list of its skill')
  })
})

function reach(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve('connected'))
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)))
    socket.on('close', () => socket.destroy())
  })
}
