// Measures the latency of one caller during single large requests of another, and the longest
// stall of the server's event loop. Calls are sent at a fixed rate, so that a stall delays all
// calls that fall into it. In a control arm, the same request and calls are sent to a dummy server:
// its latency is that of this machine, its other programs and this client. The arms alternate.
// Usage: node test/bench/serve/neighbour.js [part of a name]
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { createEchoFolder } from '../warm/echo.js'
import { largeRequests } from './large-requests.js'
import { startScript, startServe } from './start.js'

const INTERVAL_MS = 5
const LIMIT_MS = 50
/** Calls of a measurement, also if the request is answered sooner. */
const MIN_CALLS = 100
/**
 * Reports the longest stall of the event loop since the last report, in processor time of its
 * thread, which other processes of the machine do not change, and the memory in use.
 */
const HOOK = `import { readFileSync } from 'node:fs'
const SCHEDSTAT = '/proc/self/task/' + process.pid + '/schedstat'
const readCpuMs = () => Number(readFileSync(SCHEDSTAT, 'utf8').split(' ')[0]) / 1e6
let last = readCpuMs()
let stall = 0
const check = () => {
  const now = readCpuMs()
  stall = Math.max(stall, now - last)
  last = now
}
setInterval(check, 1).unref()
process.on('message', () => {
  const longest = stall
  for (let at = 0; at < 3; at++) globalThis.gc()
  const { heapUsed, external, rss } = process.memoryUsage()
  check()
  stall = 0
  process.send({ stall: longest, heap: heapUsed + external, rss })
})
process.channel.unref()`

/** Requests of the kinds that once stalled the server longest: for `npm run bench`. */
const WORST = new Set(['many keys', 'a long string of three-byte text', 'a blob of base64'])

/** Measures the worst kinds only, and prints nothing. */
export async function measureWorstNeighbours() {
  return await measureNeighbours({ isIncluded: (name) => WORST.has(name), print: () => {} })
}

/** Sends all requests whose name is included. */
async function measureNeighbours({ isIncluded, print }) {
  const hook = `data:text/javascript,${encodeURIComponent(HOOK)}`
  const server = await startServe(createEchoFolder(), {
    node: ['--expose-gc', '--import', hook],
    argv: ['--no-auth'],
  })
  const dummy = await startScript(fileURLToPath(new URL('dummy.js', import.meta.url)))
  const neighbour = startNeighbour(server.port)
  const control = startNeighbour(dummy.port)
  const rows = []
  for (const each of largeRequests(server.port).filter(({ name }) => isIncluded(name))) {
    const body = each.body()
    await send(server.port, each, body.length > 2 ** 20 ? SMALL : body)
    await askServer(server.child)
    const before = await askServer(server.child)
    const { latencies, answer, ms } = await measureDuring(neighbour, () =>
      send(server.port, each, body),
    )
    const after = await askServer(server.child)
    // As long as the request took, since the other programs of the machine come and go.
    const sendToDummy = async () => {
      const [sent] = await Promise.all([send(dummy.port, each, body), sleep(ms)])
      return sent
    }
    const machine = await measureDuring(control, sendToDummy)
    rows.push({
      arm: `neighbour of ${each.name}`,
      unit: 'ms (p99)',
      max: quantile(latencies, 0.99),
      limit: LIMIT_MS,
      control: quantile(machine.latencies, 0.99),
      longest: latencies.at(-1),
      stall: Math.round(after.stall),
      ms: Math.round(ms),
      status: answer.status,
      answer: answer.text.slice(0, 100),
      grownMiB: Math.round((after.heap - before.heap) / 2 ** 20),
      rssMiB: Math.round(after.rss / 2 ** 20),
    })
    print(rows.at(-1))
  }
  await neighbour.stop()
  await control.stop()
  await dummy.stop()
  await server.stop()
  return rows
}

/** Returns the latencies of the neighbour's calls during a request, and the answer to it. */
async function measureDuring(neighbour, work) {
  await neighbour.begin()
  const start = performance.now()
  const answer = await work()
  const ms = performance.now() - start
  return { latencies: await neighbour.end(), answer, ms }
}

const SMALL = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"list_skills"}')

function printRow({ arm, max, control, longest, stall, ms, grownMiB, rssMiB, status, answer }) {
  const cells = [
    `p99 ${max.toFixed(0)} ms`,
    `control ${control.toFixed(0)}`,
    `longest ${longest.toFixed(0)}`,
    `stall ${stall}`,
  ]
  cells.push(`request ${ms}`, `heap +${grownMiB} MiB`, `rss ${rssMiB}`, status, answer)
  console.log(`${arm.padEnd(52)} ${cells.join('  ')}`)
}

function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

function askServer(child) {
  return new Promise((resolve) => {
    child.once('message', resolve)
    child.send('report')
  })
}

function send(port, { path = '/rpc', headers = {} }, body) {
  return new Promise((resolve, reject) => {
    const sent = request({
      port,
      host: '127.0.0.1',
      path,
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', 'content-length': body.length, ...headers },
    })
    sent.on('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk) => (text += chunk.length < 4096 ? chunk : chunk.slice(0, 1000)))
      answer.on('end', () => resolve({ status: answer.statusCode, text }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

// eslint-disable-next-line unicorn/require-post-message-target-origin -- a port has no origin
const tell = (port, message) => port.postMessage(message)
const report = (message) => tell(parentPort, message)

/** The other caller, in a thread of its own. */
function startNeighbour(port) {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { port } })
  const ask = (what) =>
    new Promise((resolve) => {
      worker.once('message', resolve)
      tell(worker, what)
    })
  return { begin: () => ask('begin'), end: () => ask('end'), stop: () => worker.terminate() }
}

function callAtFixedRate({ port }) {
  let agent
  const body = '{"jsonrpc":"2.0","id":1,"method":"describe_skill","params":{"name":"bench.echo"}}'
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  let timer
  let pending = []
  const call = (due) =>
    new Promise((resolve, reject) => {
      const sent = request({
        port,
        host: '127.0.0.1',
        path: '/rpc',
        method: 'POST',
        agent,
        headers,
      })
      sent.on('response', (answer) =>
        answer.resume().on('end', () => resolve(performance.now() - due)),
      )
      // The server may close an idle connection at the same time.
      sent.on('error', (error) => (sent.reusedSocket ? resolve(call(due)) : reject(error)))
      sent.end(body)
    })
  const handle = async (what) => {
    if (what === 'begin') {
      pending = []
      agent = new Agent({ keepAlive: true })
      timer = setInterval(() => pending.push(call(performance.now())), INTERVAL_MS)
      // The connection and the code are warm before the large request is sent.
      await new Promise((resolve) => setTimeout(resolve, 200))
      await Promise.all(pending)
      pending = []
      return report('begun')
    }
    while (pending.length < MIN_CALLS) await sleep(INTERVAL_MS)
    clearInterval(timer)
    const latencies = (await Promise.all(pending)).sort((a, b) => a - b)
    agent.destroy()
    report(latencies)
  }
  parentPort.on('message', (what) => void handle(what))
}

if (!isMainThread) callAtFixedRate(workerData)
else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const part = process.argv[2] ?? ''
  const isIncluded = (name) => name.includes(part)
  const rows = await measureNeighbours({ isIncluded, print: printRow })
  console.log(`largest p99: ${Math.max(...rows.map(({ max }) => max)).toFixed(0)} ms`)
  process.exit()
}
