// A client that floods a server with one token until it is stopped. It runs with the lowest
// priority, so that it does not take the processor from the server. Asked by a message, it reports
// its requests and its processor time. Usage: node flood.js <port> <kind> <token> [requests a second]
import { request, Agent } from 'node:http'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const MIB = 1024 ** 2
const SPIN = 'def main(args):\n    return sum(range(4_000_000))\n'
const PRINT = 'def main(args):\n    for at in range(20_000):\n        print("x" * 100)\n'
const FORK = `import os
def main(args):
    children = []
    for _ in range(6):
        pid = os.fork()
        if pid == 0:
            sum(range(4_000_000))
            os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
`
const call = (method, params, id = 1) => ({ jsonrpc: '2.0', id, method, params })
const runCode = (code, args) => call('run_code', { language: 'python', code, args })
const run = runCode(SPIN)
const manyKeys = () => Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`k${at}`, at]))

/** Floods by name: connections, body, and whether each request has a connection of its own. */
const FLOODS = {
  runs: { clients: 32, pauseMs: 20, body: () => JSON.stringify(run) },
  'runs without a pause': { clients: 200, body: () => JSON.stringify(run) },
  'new connections': { clients: 64, isNew: true, body: () => JSON.stringify(run) },
  'large bodies': {
    clients: 32,
    body: () => JSON.stringify(call('no_such_method', { text: 'x'.repeat(8 * MIB) })),
  },
  'batches of runs': {
    clients: 4,
    body: () => JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ ...run, id }))),
  },
  'runs with many arguments': {
    clients: 32,
    body: () => JSON.stringify(runCode(SPIN, manyKeys())),
  },
  'runs with much output': { clients: 32, pauseMs: 20, body: () => JSON.stringify(runCode(PRINT)) },
  'runs with many processes': {
    clients: 32,
    pauseMs: 20,
    body: () => JSON.stringify(runCode(FORK)),
  },
  'programs of a shell': {
    clients: 32,
    pauseMs: 20,
    body: () =>
      JSON.stringify(
        call('runtime.execute', {
          runtime: 'shell',
          code: 'for i in $(seq 50); do ls / >/dev/null; done',
        }),
      ),
  },
  blobs: {
    clients: 32,
    body: () =>
      JSON.stringify(call('create_blob', { content: 'x'.repeat(MIB), kind: 'text/plain' })),
  },
  listings: { clients: 64, body: () => JSON.stringify(call('list_skills')) },
}

export const FLOOD_KINDS = Object.keys(FLOODS)

/** Returns a function that resolves when the next request may be sent. */
function createPace(perSecond) {
  let nextAt = performance.now()
  return async () => {
    nextAt += 1000 / perSecond
    const waitMs = nextAt - performance.now()
    if (waitMs > 0) await sleep(waitMs)
  }
}

async function flood(port, kind, { token, pace, count }) {
  const { clients, pauseMs = 0, isNew = false, body } = FLOODS[kind]
  const bytes = Buffer.from(body())
  const agent = isNew ? false : new Agent({ keepAlive: true })
  const headers = {
    'content-type': 'application/json',
    'content-length': bytes.length,
    authorization: `Bearer ${token}`,
  }
  const send = () =>
    new Promise((resolve) => {
      const target = { port, host: '127.0.0.1', path: '/rpc', method: 'POST', agent, headers }
      const sent = request(target, (answer) => answer.resume().on('close', resolve))
      sent.on('error', resolve).end(bytes)
    })
  const work = async () => {
    for (;;) {
      await pace()
      await send()
      count()
      if (pauseMs > 0) await sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: clients }, work))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  setPriority(19)
  const [port, kind, token, perSecond] = process.argv.slice(2)
  let requests = 0
  const count = () => void (requests += 1)
  const pace = perSecond === undefined ? async () => {} : createPace(Number(perSecond))
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send({ requests, cpuMs: (user + system) / 1000 })
  })
  process.send?.('started')
  await flood(Number(port), kind, { token, pace, count })
}
