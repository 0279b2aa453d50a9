// Measures what a masked secret costs: curl sends requests through the filter of a run, with and
// without masking, to a server on this machine. The filter and the server are processes of their own:
// `node masked-secrets.js filter`.
import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { median, quantile } from '../quantile.js'
import { createTemporaryFolder } from '../temporary-folder.js'
import { runInTurns } from '../turns.js'

const SELF = fileURLToPath(import.meta.url)
const CORE = join(
  process.env.BENCH_DIST ?? fileURLToPath(new URL('../../../dist', import.meta.url)),
  'core',
)
const HOST = 'api.example.test'
const VALUE = 'ghp_Zr4Kq81mVx7TgB2nYc5Lw9Hd3Js6Pf0Ua'
const LIMIT_MS = 2
/** A second TLS handshake, which takes most of it. */
const CONNECTION_LIMIT_MS = 5
const LIMIT = 1.05
const SIZE = 100 * 1024 ** 2
const PIECE = Buffer.alloc(1024 ** 2, '0123456789abcdef')
/** 1 Gbit/s. */
const BYTES_PER_MS = 125_000

const EGRESS = {
  authority: 'sandbox/egress/answers/certificate-authority.js',
  egress: 'sandbox/egress/egress.js',
  masking: 'sandbox/egress/masking/masked-network.js',
  exceptions: 'sandbox/egress/private-exceptions.js',
  secrets: 'runs/network/masked-secrets.js',
  entry: 'skills/manifest/network-entry.js',
}

export async function measureMaskedSecrets() {
  const [server, filter] = [fork(SELF, ['server']), fork(SELF, ['filter'])]
  try {
    const [upstream] = await once(server, 'message')
    filter.send(upstream)
    const [{ plain, masked, standIn, authority }] = await once(filter, 'message')
    const work = createTemporaryFolder('masked-secrets')
    const bundle = join(work, 'authorities.pem')
    const body = join(work, 'body.json')
    writeFileSync(bundle, upstream.authority + authority)
    writeFileSync(body, JSON.stringify({ text: 'x'.repeat(10_000) }))
    const measure = async (path, { rounds, warmUp = 1, requests = 1, more = [] }) => {
      const url = ['--output', '/dev/null', `https://${HOST}:${upstream.port}${path}`]
      const urls = Array.from({ length: requests }, () => url).flat()
      const fixed = ['--silent', '--show-error', '--fail', '--cacert', bundle, ...more]
      const header = ['--header', `Authorization: Bearer ${standIn}`]
      const written = ['--write-out', '%{time_total}\\n']
      const argv = (proxy) =>
        [fixed, header, written, ['--proxy', `http://127.0.0.1:${proxy}`], urls].flat()
      const time = (proxy) => async () => {
        const { stdout } = await promisify(execFile)('curl', argv(proxy))
        const [first, ...later] = stdout
          .trim()
          .split('\n')
          .map((each) => Number(each) * 1000)
        // The later requests use the connection of the first one.
        return later.length > 0 ? median(later) : first
      }
      return await runInTurns({ plain: time(plain), masked: time(masked) }, { rounds, warmUp })
    }
    const more = ['--header', 'Content-Type: application/json', '--data', `@${body}`]
    return [
      describeMs(
        'masked request of 10 kB, more',
        LIMIT_MS,
        await measure('/', { rounds: 9, requests: 30, more }),
      ),
      describeMs(
        'and its connection, more',
        CONNECTION_LIMIT_MS,
        await measure('/', { rounds: 21, warmUp: 10, more }),
      ),
      describeRatio('masked 100 MB at 1 Gbit/s', await measure('/paced', { rounds: 3 }), LIMIT),
      describeRatio('masked 100 MB, unlimited', await measure('/', { rounds: 5 })),
    ]
  } finally {
    for (const child of [server, filter]) child.kill()
  }
}

function describeMs(arm, limit, { plain, masked }) {
  const more = masked.map((ms, at) => ms - plain[at])
  const round = (ms) => Number(ms.toFixed(1))
  const [max, p95] = [quantile(more, 1), quantile(more, 0.95)].map(round)
  return {
    arm,
    unit: 'ms',
    max,
    median: round(median(masked) - median(plain)),
    p95,
    limit,
  }
}

function describeRatio(arm, { plain, masked }, limit) {
  const ratios = masked.map((ms, at) => ms / plain[at])
  const medianMs = { plain: median(plain), masked: median(masked) }
  const ratio = medianMs.masked / medianMs.plain
  return { arm, against: 'not masked', median: ratio, p95: quantile(ratios, 0.95), limit, medianMs }
}

async function listen(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server.address().port
}

async function loadCore() {
  const load = async ([name, path]) => [name, await import(join(CORE, path))]
  return Object.fromEntries(await Promise.all(Object.entries(EGRESS).map(load)))
}

async function answer(request, response) {
  if (request.method === 'POST') return response.end('{}')
  response.setHeader('Content-Length', SIZE)
  const start = performance.now()
  for (let sent = 0; sent < SIZE; sent += PIECE.length) {
    const early = sent / BYTES_PER_MS - (performance.now() - start)
    if (request.url === '/paced' && early > 0) await sleep(early)
    if (!response.write(PIECE)) await once(response, 'drain')
  }
  response.end()
}

async function serve() {
  const { CertificateAuthority } = (await loadCore()).authority
  const authority = new CertificateAuthority()
  const SNICallback = (name, done) => done(null, authority.createContext(name))
  const server = createTlsServer({ SNICallback }, (request, response) => {
    request.resume().on('end', () => void answer(request, response))
  })
  process.send({ port: await listen(server), authority: authority.certificate })
}

async function runFilter() {
  const [{ port, authority }] = await once(process, 'message')
  const core = await loadCore()
  const url = `https://${HOST}:${port}`
  const use = { hosts: [url], in: ['header:Authorization', 'body'] }
  const secrets = core.secrets.maskSecrets(
    new Map([['KEY', VALUE]]),
    new Map([['KEY', use]]),
    'run',
  )
  const masking = core.masking.createMaskedNetwork(secrets.masked, authority)
  const open = async (more) => {
    const egress = new core.egress.Egress({
      entries: [core.entry.parseNetworkEntry(url)],
      exceptions: core.exceptions.parsePrivateExceptions([`127.0.0.1:${port}`]),
      limit: { maxBytes: Infinity, onExceeded: () => {} },
      onDecision: () => {},
      lookup: async () => ['127.0.0.1'],
      ...more,
    })
    const server = createServer()
    const at = await listen(server)
    egress.serve({ kind: 'proxy', port: at }, server)
    return at
  }
  const standIn = secrets.variables.KEY
  const proxies = { plain: await open({}), masked: await open({ masking }) }
  process.send({ ...proxies, standIn, authority: masking.authority })
}

if (process.argv[1] === SELF) await (process.argv[2] === 'server' ? serve() : runFilter())
