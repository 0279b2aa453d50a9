// @module-tag slow
// @module-tag nightly
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isCallRecord } from '../../../src/core/audit/filter-records.ts'
import type { ExecuteParams } from '../../../src/core/methods/runtime-execute/definition.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createPolicyRuntime } from '../runs/policy-runtime.ts'

let server: Server
let port = 0
const files = mkdtempSync(join(tmpdir(), 'skills-test-'))
const requested: string[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://x').pathname)
    requested.push(path)
    try {
      response.end(readFileSync(join(files, path)))
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  port = (server.address() as AddressInfo).port
  createGitRepository()
})

afterAll(() => {
  server.close()
  rmSync(files, { recursive: true, force: true })
})

/** A repository that a plain HTTP server can serve. */
function createGitRepository(): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: files,
      stdio: 'ignore',
    })
  git('init', '-q', '--bare', 'app.git')
  git('clone', '-q', 'app.git', 'work')
  git('-C', 'work', 'commit', '-q', '--allow-empty', '-m', 'the first commit')
  git('-C', 'work', 'push', '-q', 'origin', 'HEAD:main')
  git('-C', 'app.git', 'symbolic-ref', 'HEAD', 'refs/heads/main')
  git('-C', 'app.git', 'update-server-info')
}

/** A package of a registry, and the lock file of a project that depends on it. */
function createNpmProject() {
  const dir = createFolder({
    'package/package.json': '{"name":"left","version":"1.0.0"}',
    'package/index.js': 'module.exports = 42\n',
  })
  execFileSync('tar', ['czf', join(files, 'left-1.0.0.tgz'), '-C', dir, 'package'])
  const content = readFileSync(join(files, 'left-1.0.0.tgz'))
  const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`
  const resolved = `http://127.0.0.1:${port}/left-1.0.0.tgz`
  const root = { name: 'app', version: '1.0.0', dependencies: { left: '1.0.0' } }
  const packages = {
    '': root,
    'node_modules/left': { version: '1.0.0', resolved, integrity },
  }
  const lock = { name: 'app', version: '1.0.0', lockfileVersion: 3, requires: true, packages }
  return { 'package.json': JSON.stringify(root), 'package-lock.json': JSON.stringify(lock) }
}

const open = (more = '') =>
  `${more}\n[[programs]]\nname = "local"\nwhen = { repositories = ["app"] }\nnetwork = ["http://127.0.0.1:${port}"]\n`

const createNetworked = async (policy: string, tree = {}) =>
  await createPolicyRuntime(policy, {
    settings: { 'run.network.allow_private': [`127.0.0.1:${port}`] },
    tree,
  })

const clone = (): Partial<ExecuteParams> => ({
  code: `git clone -q http://127.0.0.1:${port}/app.git copy && git -C copy log --format=%s`,
  outputMode: 'summary',
})

describe('the network of programs', { timeout: 240_000 }, () => {
  it('has the destinations that the operator opens: git fetch', async () => {
    const { execute, audited, runtime } = await createNetworked(open())
    const answer = await execute({ ...clone(), detail: 'full' })
    expect(answer).toMatchObject({ status: 'success', stdoutSummary: 'the first commit\n' })
    expect(answer.networkBytes).toBeGreaterThan(0)
    expect(audited().filter(isCallRecord)).toMatchObject([
      { event: 'begun', request: { network: [`http://127.0.0.1:${port}`] } },
      { event: 'ended' },
    ])
    const record = await (await runtime.runs()).get(answer.runId ?? '')
    expect(record.network).toContainEqual(expect.objectContaining({ allowed: true, port }))
  })

  it('has the destinations that the operator opens: npm ci', async () => {
    const { execute } = await createNetworked(open(), createNpmProject())
    const code = 'npm ci --no-audit --no-fund >&2 && node -p "require(\'left\')"'
    const answer = await execute({ code, outputMode: 'summary', timeoutMs: 120_000 })
    expect(answer).toMatchObject({ status: 'success', stdoutSummary: '42\n' })
  })

  it('checks each request in a tunnel for plain HTTP', async () => {
    const { execute } = await createNetworked(open())
    const answer = await execute({
      runtime: 'python',
      code: `import os, socket, urllib.parse
proxy = urllib.parse.urlsplit(os.environ['http_proxy'])
def ask(first, path, host):
    s = socket.create_connection((proxy.hostname, proxy.port))
    s.sendall(b'CONNECT 127.0.0.1:${port} HTTP/1.1\\r\\n\\r\\n')
    assert s.recv(4096).startswith(b'HTTP/1.1 200')
    s.sendall(first or f'GET {path} HTTP/1.1\\r\\nHost: {host}\\r\\n\\r\\n'.encode())
    try:
        return s.recv(4096)[:12]
    except ConnectionError:
        return b'closed'
print(ask(b'', '/app.git/HEAD', '127.0.0.1:${port}'))
print(ask(b'', '/a', '127.0.0.1:${port + 1}'))
print(ask(b'', '/b', 'other.example.com:${port}'))
print(ask(b'', 'http://other.example.com/c', '127.0.0.1:${port}'))
print(ask(b'CONNECT 10.0.0.1:443 HTTP/1.1\\r\\n\\r\\n', '', ''))`,
      outputMode: 'summary',
    })
    const [allowed, ...refused] = answer.stdoutSummary?.trimEnd().split('\n') ?? []
    expect(allowed).toBe("b'HTTP/1.1 200'")
    expect(refused).toHaveLength(4)
    for (const each of refused) expect(each).toMatch(/HTTP\/1\.1 4/)
  })

  it('names [[programs]] in refusals and hints', async () => {
    const { execute } = await createNetworked(open())
    const answer = await execute({
      code: 'curl -s http://other.example.com; curl -sS --noproxy "*" http://other.example.com',
      outputMode: 'summary',
    })
    expect(answer.stdoutSummary).toContain(
      'http://other.example.com:80 is not in [[programs]] of the policy',
    )
    expect(answer.runtimeHints).toEqual([
      expect.stringContaining('that [[programs]] of the policy'),
    ])
  })

  it('is closed without [[programs]], and to other destinations', async () => {
    requested.length = 0
    const closed = await createNetworked('')
    expect(await closed.execute(clone())).toMatchObject({ status: 'failure' })
    expect(requested).toEqual([])
    const { execute } = await createNetworked(open().replace(`:${port}"`, `:${port + 1}"`))
    expect(await execute(clone())).toMatchObject({ status: 'failure' })
    expect(requested).toEqual([])
  })

  it.each<[string, (text: string) => string]>([
    ['another repository', (text) => text.replace('"app"', '"other"')],
    ['another language', (text) => text.replace('when = {', 'when = { languages = ["node"],')],
    ['another caller', (text) => text.replace('when = {', 'when = { tokens = ["ci"],')],
    ['another entry point', (text) => text.replace('when = {', 'when = { doors = ["http"],')],
    [
      'a denied destination',
      (text) => `[deny]\nnetwork = ["http://127.0.0.1:*"]\n${text}`.replace(':*', `:${port}`),
    ],
    [
      'a list of other destinations',
      (text) => `[allow]\nnetwork = ["https://other.example.com"]\n${text}`,
    ],
  ])('is closed for %s', async (_, change) => {
    requested.length = 0
    const { execute, audited } = await createNetworked(change(open()))
    expect(await execute(clone())).toMatchObject({ status: 'failure' })
    expect(requested).toEqual([])
    expect(audited().filter(isCallRecord)[0]).toMatchObject({ request: { network: [] } })
  })
})
