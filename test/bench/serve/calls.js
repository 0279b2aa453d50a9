// list_skills over 10,000 skills, read_blob and create_blob against a Hono handler that does
// nothing: both servers are separate processes, loaded in turns by the same generator.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateSkills } from '../generate-skills.js'
import { median, quantile } from '../quantile.js'
import { createTemporaryFolder } from '../temporary-folder.js'
import { callRpc } from '../warm/echo.js'
import { loadFor, encodeRequest } from './load.js'
import { startScript, startServe } from './start.js'

const SKILLS = 10_000
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 9)
const ROUND_MS = 1000
const CONNECTIONS = 16
const EMPTY = 'an empty Hono handler'
const CONTENT = 'x'.repeat(1024)
/** Half the request rate is twice the time. */
const LISTING_LIMIT = 2

/** Returns a row for each call. */
export async function measureCalls() {
  const dir = createTemporaryFolder('calls')
  generateSkills(join(dir, 'skills'), SKILLS)
  const empty = await startScript(fileURLToPath(new URL('empty.js', import.meta.url)))
  const ours = await startServe(dir)
  try {
    return await runInTurns({ empty, ours })
  } finally {
    await Promise.all([empty.stop(), ours.stop()])
  }
}

async function runInTurns({ empty, ours }) {
  const blob = { content: CONTENT, kind: 'text/plain' }
  const stored = await callRpc(ours.port, { id: '1', method: 'create_blob', params: blob })
  const calls = {
    list_skills: {},
    read_blob: { blob_id: stored.result.blob_id },
    create_blob: blob,
  }
  const arms = Object.entries(calls).map(([method, params]) => [
    method,
    ours.port,
    JSON.stringify({ jsonrpc: '2.0', id: '1', method, params }),
  ])
  arms.unshift([EMPTY, empty.port, arms[0][2]])
  const times = Object.fromEntries(arms.map(([name]) => [name, []]))
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, port, body] of arms) {
      const next = () => encodeRequest(port, body)
      const { answered, ms } = await loadFor(ROUND_MS, { port, next, connections: CONNECTIONS })
      if (round >= 0) times[name].push(ms / answered)
    }
  }
  return Object.keys(calls).map((name) => createRow(name, times))
}

function createRow(name, times) {
  const ratios = times[name].map((ms, at) => ms / times[EMPTY][at])
  const perSecond = (each) => Math.round(1000 / median(times[each]))
  return {
    arm: name === 'list_skills' ? 'list_skills, 10,000 skills' : `${name}, 1 KiB`,
    against: `${EMPTY}, time a call`,
    median: median(ratios),
    p95: quantile(ratios, 0.95),
    ...(name === 'list_skills' && { limit: LISTING_LIMIT }),
    perSecond: { empty: perSecond(EMPTY), ours: perSecond(name) },
  }
}
