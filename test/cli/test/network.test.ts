// @module-tag slow
// @module-tag nightly
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  answerWithRequest,
  createCommandSuite,
  createNetworkSkill,
  REAL_SECRET,
  useRecordedServers,
} from '../../helpers/recorded-servers.ts'
import type { Tree } from '../../helpers/skills.ts'

const servers = useRecordedServers(answer)
const { requests, ports, test: runTests, recordAndReplay } = servers

/** The first lines of a Git repository over HTTP. */
function describeRefs(): string {
  const line = `${'1234567890'.repeat(4)} HEAD\0\n`
  const head = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text
  return `${head('# service=git-upload-pack\n')}0000${head(line)}0000`
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { url = '' } = request
  if (url.includes('/info/refs')) {
    response.setHeader('Content-Type', 'application/x-git-upload-pack-advertisement')
    return void response.end(describeRefs())
  }
  if (url === '/away') {
    response.writeHead(302, { Location: '/there' })
    return void response.end()
  }
  answerWithRequest(request, response)
}

const PYTHON = `import json, os, urllib.request

def main(args):
    request = urllib.request.Request(args["url"])
    if "API_KEY" in os.environ:
        request.add_header("Authorization", "Bearer " + os.environ["API_KEY"])
    return json.loads(urllib.request.urlopen(request).read())
`
const JAVASCRIPT = `export async function main({ url }) {
  const response = await fetch(url)
  return { ...(await response.json()), type: response.headers.get('content-type') }
}
`

function createSkill(cases: string, more: Tree & { language?: string } = {}): string {
  const { language = 'python', ...files } = more
  const isPython = language === 'python'
  return createNetworkSkill(servers, {
    ...(isPython ? { 'code/main.py': PYTHON } : { 'code/main.mjs': JAVASCRIPT }),
    'tests/net.test.toml': cases,
    ...files,
  })
}

const FETCH = ['HTTPS', 'HTTP:']
  .map(
    (origin) => `[[cases]]
name = "fetches by ${origin}"
cassette = true
args = { url = "${origin}/x?b=1" }
expect = [{ result = { path = "url", equals = "/x?b=1" } }, { network = { allowed = true, times = 1 } }]
`,
  )
  .join('\n')
  .replaceAll('by HTTPS', 'by TLS')
  .replaceAll('by HTTP:', 'plainly')

describe('a recording and its replay', () => {
  it('work with urllib of Python', async () => await recordAndReplay(createSkill(FETCH)))

  it('work with fetch of Node', async () => {
    await recordAndReplay(createSkill(FETCH, { language: 'node' }))
  })

  it.each([
    ['curl', `curl -sS HTTPS/y`, '"url"'],
    ['curl without a proxy', `curl -sS --noproxy '*' HTTPS/y HTTP:/z`, '"/z"'],
    ['git', 'git ls-remote HTTPS/repo.git', '1234567890'],
    ['redirects in a shell', 'a=$(curl -sSL HTTP:/away); echo "got $a"', '/there'],
    [
      'sockets of Python',
      `python3 -c "import http.client as h; c = h.HTTPConnection('localhost', PORT); c.request('GET', '/s'); print(c.getresponse().read())"`,
      '/s',
    ],
  ])('work with %s', async (_name, command, expected) => {
    await recordAndReplay(
      createSkill(createCommandSuite(command.replace('PORT', String(ports.http)), expected)),
    )
  })

  it('replace the real secret, which the replay does not need', async () => {
    const cwd = createSkill(`[[cases]]
name = "sends the secret"
cassette = true
secrets = { API_KEY = "a-fake-value" }
args = { url = "HTTPS/x?key=1" }
expect = [{ status = "completed" }]
`)
    expect((await runTests(cwd, ['--record'])).code).toBe(0)
    const path = join(cwd, 'tests/net/sends-the-secret.cassette/1-response.json')
    const text = readFileSync(path, 'utf8')
    expect(text).toContain('Bearer {{API_KEY}}')
    expect(text).not.toContain(REAL_SECRET)
    expect((await runTests(cwd)).code).toBe(0)
  })
})

describe('a case with a cassette', () => {
  it('fails for requests that it does not have, and for entries that are not used', async () => {
    const cwd = createSkill(FETCH)
    await recordAndReplay(cwd)
    const suite = join(cwd, 'tests/net.test.toml')
    writeFileSync(suite, readFileSync(suite, 'utf8').replace('/x?b=1', '/x?b=2'))
    const { code, stdout } = await runTests(cwd)
    expect(code).toBe(1)
    expect(stdout).toContain('differs in its query: expected "b=1", got "b=2"')
    expect(stdout).toMatch(
      /The entry tests\/net\/fetches-by-tls\.cassette\.toml:3 \(GET .*\) was not used/,
    )
  })

  it('fails from the day on which the cassette expires', async () => {
    const cwd = createSkill(FETCH)
    await recordAndReplay(cwd)
    const path = join(cwd, 'tests/net/fetches-plainly.cassette.toml')
    writeFileSync(path, `expires = "2026-01-02"\n${readFileSync(path, 'utf8')}`)
    const expired = await runTests(cwd)
    expect(expired.code).toBe(1)
    expect(expired.stdout).toContain('expired on 2026-01-02: type "skills test --record"')
    writeFileSync(path, readFileSync(path, 'utf8').replace('2026-01-02', '9999-01-02'))
    expect((await runTests(cwd)).code).toBe(0)
  })

  it('is malformed without its cassette, with a wrong one, and with a short secret', async () => {
    const missing = await runTests(createSkill(FETCH))
    expect(missing.code).toBe(2)
    expect(missing.stderr).toContain('The cassette net/fetches-by-tls.cassette.toml does not exist')
    const old = { 'tests/net/old.cassette.toml': 'exchanges = []\n' }
    expect((await runTests(createSkill(FETCH, old), ['--record'])).stderr).toContain(
      'belongs to no case',
    )
    const short = FETCH.replace('cassette = true', 'cassette = true\nsecrets = { API_KEY = "abc" }')
    expect((await runTests(createSkill(short), ['--record'])).stderr).toContain(
      'fewer than 8 characters',
    )
    const wrong = { 'tests/net/fetches-by-tls.cassette.toml': 'exchange = []\n' }
    const { code, stderr } = await runTests(createSkill(FETCH, wrong))
    expect(code).toBe(2)
    expect(stderr).toContain('tests/net/fetches-by-tls.cassette.toml:1:1: Unknown key "exchange"')
  })

  it('is not recorded in CI, while watching, and without a cassette', async () => {
    const cwd = createSkill(FETCH)
    const inCi = await runTests(cwd, ['--record'], { CI: 'true' })
    expect(inCi.stderr).toContain('Cassettes are not recorded in CI')
    expect((await runTests(cwd, ['--record', '--watch'])).stderr).toContain('--record or --watch')
    const without = createSkill(FETCH.replaceAll('cassette = true\n', ''))
    expect((await runTests(without, ['--record'])).stderr).toContain(
      'No selected case has a cassette',
    )
    expect(existsSync(join(cwd, 'tests/net'))).toBe(false)
  })
})

const ATTACK = `import json, os, socket, ssl, urllib.request

def attempt(action):
    try:
        return str(action())
    except Exception as error:
        return "failed: " + type(error).__name__

def tcp(host, port, family=socket.AF_INET):
    s = socket.socket(family)
    s.settimeout(3)
    s.connect((host, port))
    s.send(b"GET /attack HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n")
    return s.recv(100)

def query(host):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.settimeout(1)
    s.sendto(bytes.fromhex("abcd01000001000000000000") + b"\\x07example\\x03com\\x00\\x00\\x01\\x00\\x01", (host, 53))
    return s.recv(100)

def named(server, host, port):
    raw = socket.create_connection(("localhost", port), 3)
    secure = ssl.create_default_context().wrap_socket(raw, server_hostname=server)
    secure.send(("GET /attack HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n" % host).encode())
    return secure.recv(200)

def find_keys():
    found = []
    for top in ["/etc", "/tmp", "/workspace", "/run", "/guest"]:
        for folder, _, names in os.walk(top):
            for name in names:
                try:
                    with open(os.path.join(folder, name), "rb") as file:
                        if b"PRIVATE KEY" in file.read(2000000):
                            found.append(name)
                except OSError:
                    pass
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for name in ["environ", "cmdline"]:
            try:
                with open("/proc/%s/%s" % (pid, name), "rb") as file:
                    if b"PRIVATE KEY" in file.read():
                        found.append(name)
            except OSError:
                pass
    return found

def main(args):
    http, https = args["http"], args["https"]
    return {
        "known": attempt(lambda: urllib.request.urlopen(args["url"]).status),
        "loopback": attempt(lambda: tcp("127.0.0.1", http)),
        "address": attempt(lambda: tcp("192.0.2.1", http)),
        "ipv6": attempt(lambda: tcp("::1", http, socket.AF_INET6)),
        "direct": attempt(lambda: tcp("localhost", http)),
        "query": attempt(lambda: query("8.8.8.8")),
        "name": attempt(lambda: socket.gethostbyname("example.com")),
        "server_name": attempt(lambda: named("example.test", "example.test", https)),
        "host": attempt(lambda: named("localhost", "example.test", https)),
        "undeclared": attempt(lambda: urllib.request.urlopen("http://example.test/").status),
        "keys": find_keys(),
    }
`

it('no attempt of a run reaches the network during a replay', async () => {
  const cwd = createSkill(
    `[[cases]]
name = "attacks"
cassette = true
args = { url = "HTTP:/known", http = ${ports.http}, https = ${ports.https} }
expect = [{ result = { path = "known", equals = "200" } }]
`,
    { 'code/main.py': ATTACK },
  )
  requests.length = 0
  const recorded = await runTests(cwd, ['--record'])
  // The control: recorded requests reach the server, also without a proxy.
  expect(requests.filter((url) => url === '/attack').length).toBeGreaterThan(0)
  expect(recorded.all).toContain('could not be recorded')
  const text = `[[exchanges]]\nrequest = { method = "GET", url = "http://localhost:${ports.http}/known" }\nresponse = { status = 200 }\n`
  const suite = join(cwd, 'tests/net.test.toml')
  writeFileSync(join(cwd, 'tests/attacks.toml'), text)
  const shown = '{ result = { path = "keys", equals = ["shows", "everything"] } }'
  writeFileSync(
    suite,
    readFileSync(suite, 'utf8')
      .replace('cassette = true', 'cassette = "attacks.toml"')
      .replace(/expect = .*/, `expect = [{ result = { equals = {} } }, ${shown}]`),
  )
  requests.length = 0
  const { stdout } = await runTests(cwd)
  expect(requests).toEqual([])
  expect(stdout).toContain('"known": "200"')
  expect(stdout).toContain('"keys": []')
  for (const name of ['address', 'ipv6', 'query', 'name', 'server_name', 'undeclared']) {
    expect(stdout).toMatch(new RegExp(`"${name}": "failed: `))
  }
  expect(stdout).toContain('has no answer for GET')
  expect(stdout).toMatch(/"host": "b'HTTP\/1\.1 501/)
})
