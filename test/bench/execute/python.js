// `runtime.execute` of python print(1), sandboxed, over JSON-RPC, against a bare spawn of the same
// interpreter: sequentially, then four in parallel. Both arms alternate in one loop.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeRequest } from '../serve/load.js'
import { startServe } from '../serve/start.js'
import { timeInTurns } from '../turns.js'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 40)
const AT_ONCE = 4
const PER_TURN = 24

const CODE = 'print(1)'
const BODY = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'runtime.execute',
  params: { runtime: 'python', code: CODE },
})

/** Measures both arms and returns a row for each. */
export async function measureExecute() {
  const cwd = mkdtempSync(join(tmpdir(), 'skills-bench-execute-'))
  const server = await startServe(cwd)
  const ask = 'import sys; print(sys.executable)'
  const python = execFileSync('python3', ['-c', ask], { encoding: 'utf8' }).trim()
  const clients = await Promise.all(Array.from({ length: AT_ONCE }, () => openClient(server.port)))
  try {
    await waitUntilWarm(clients[0])
    const alone = {
      ours: async () => await clients[0].execute(),
      bare: async () => await spawnBare(python),
    }
    const sequential = await timeInTurns(alone, { rounds: ROUNDS })
    const atOnce = {
      ours: async () => await crowd((at) => clients[at].execute()),
      bare: async () => await crowd(() => spawnBare(python)),
    }
    const crowded = await timeInTurns(atOnce, { rounds: Math.max(3, Math.round(ROUNDS / 5)) })
    return [
      {
        arm: 'execute python print(1)',
        against: 'a bare spawn',
        ...ratios(sequential, (ours, bare) => ours / bare),
        limit: 1.5,
      },
      {
        arm: 'execute, 4 at once',
        against: 'the throughput of bare spawns',
        ...ratios(crowded, (ours, bare) => bare / ours),
        least: 0.7,
      },
    ]
  } finally {
    for (const client of clients) client.close()
    await server.stop()
    rmSync(cwd, { recursive: true, force: true })
  }
}

/** A server starts its zygote when it is idle. */
async function waitUntilWarm(client) {
  await client.execute()
  await new Promise((resolve) => setTimeout(resolve, 2000))
  for (let at = 0; at < 10; at++) await client.execute()
}

async function crowd(work) {
  let left = PER_TURN
  const worker = async (at) => {
    while (left-- > 0) await work(at)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => worker(at)))
}

function ratios({ ours, bare }, ratio) {
  const pairs = ours.map((ms, at) => ratio(ms, bare[at])).toSorted((a, b) => a - b)
  const quantile = (list, share) => list[Math.min(list.length - 1, Math.floor(list.length * share))]
  const middle = (list) =>
    quantile(
      list.toSorted((a, b) => a - b),
      0.5,
    )
  return {
    median: ratio(middle(ours), middle(bare)),
    p95: quantile(pairs, 0.95),
    oursMs: middle(ours),
    bareMs: middle(bare),
  }
}

function spawnBare(python) {
  return new Promise((resolve, reject) => {
    const child = spawn(python, ['-c', CODE], { stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    child.stdout.on('data', (chunk) => (text += chunk))
    child.on('close', (status) => {
      if (status === 0 && text === '1\n') resolve()
      else reject(new Error(`Bare Python ended with ${status}`))
    })
  })
}

/** A keep-alive connection, as an agent's client uses. */
async function openClient(port) {
  const socket = connect(port, '127.0.0.1')
  socket.setNoDelay(true)
  await new Promise((resolve, reject) => socket.on('connect', resolve).on('error', reject))
  const request = encodeRequest(port, BODY)
  let text = ''
  let answered = () => {}
  socket.on('data', (chunk) => {
    text += chunk
    const end = text.indexOf('\r\n\r\n')
    const length = Number(/^content-length: (\d+)/im.exec(text)?.[1])
    if (end === -1 || text.length < end + 4 + length) return
    const body = text.slice(end + 4)
    text = ''
    answered(body)
  })
  return {
    async execute() {
      const body = await new Promise((resolve) => {
        answered = resolve
        socket.write(request)
      })
      const { result } = JSON.parse(body)
      if (result?.status !== 'success') throw new Error(`It answered ${body}`)
    },
    close: () => socket.destroy(),
  }
}
