// Measures the cost of isolation: a cold sandboxed run against the same compiled harness run by the
// bare interpreter; both alternate in one loop.
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { median, quantile } from '../quantile.js'
import { GUEST, openRuntime, writeFile } from './library.js'

const ROUNDS = 40
const LIMIT = 2
const CODE = 'def main(args):\n    return 1\n'

const LAUNCHER = `import json, os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)) + "/guest")

def read(size):
    parts = b""
    while len(parts) < size:
        parts += os.read(6, size - len(parts))
    return parts

job = json.loads(read(int.from_bytes(read(4), "big")))
import harness
harness.main(job, 7)
`

export async function measureIsolation() {
  const run = await openRuntime()
  const launcher = writeFile('bare.py', LAUNCHER)
  const guest = join(dirname(launcher), 'guest')
  cpSync(GUEST, guest, { recursive: true })
  const ask = 'import sys; print(sys.executable)'
  const python = execFileSync('python3', ['-c', ask], { encoding: 'utf8' }).trim()
  execFileSync(python, ['-I', '-m', 'compileall', '-q', guest])
  const times = { bare: [], sandboxed: [] }
  for (let round = -3; round < ROUNDS; round++) {
    const bare = await timed(() => runBare(python, launcher))
    const sandboxed = await timed(async () => {
      const { status } = await run(CODE)
      if (status !== 'completed') throw new Error(`The run ${status}`)
    })
    // The first rounds fill our caches and those of the system.
    if (round < 0) continue
    times.bare.push(bare)
    times.sandboxed.push(sandboxed)
  }
  const ratios = times.sandboxed.map((ms, at) => ms / times.bare[at])
  return {
    arm: 'cold sandboxed run',
    against: 'the same harness, bare',
    median: median(times.sandboxed) / median(times.bare),
    p95: quantile(ratios, 0.95),
    limit: LIMIT,
    medianMs: { bare: median(times.bare), sandboxed: median(times.sandboxed) },
  }
}

async function timed(work) {
  const start = performance.now()
  await work()
  return performance.now() - start
}

function runBare(python, launcher) {
  const key = () => randomBytes(16).toString('hex')
  const job = {
    entry: { kind: 'code', code: CODE, export: 'main', hint: '' },
    skills: [],
    args: {},
    env: { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
    folders: { skills: '/', blobs: '/', workspace: '/', tmp: '/tmp' },
    key: key(),
    blob_secret: key(),
    paths: [],
    limits: {},
  }
  const body = Buffer.from(JSON.stringify(job))
  const size = Buffer.alloc(4)
  size.writeUInt32BE(body.length)
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', 'pipe', 'pipe']
    const child = spawn(python, ['-I', '-S', '-B', '-X', 'utf8', launcher], { env: {}, stdio })
    let received = 0
    child.stdio[7].on('data', (chunk) => (received += chunk.length))
    child.stderr.pipe(process.stderr)
    child.stdout.resume()
    child.stdio[6].on('error', () => {})
    child.stdio[6].write(Buffer.concat([size, body]))
    child.on('error', reject)
    child.on('close', (status) => {
      if (status === 0 && received > 0) resolve()
      else reject(new Error(`The bare harness ended with ${status}`))
    })
  })
}
