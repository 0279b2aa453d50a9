// list_skills over 10,000 skills against a Hono handler that does nothing, both servers processes of
// their own, loaded in turns by the same generator.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateSkills } from '../generate-skills.js'
import { median, quantile } from '../runs/library.js'
import { loadFor, requestOf } from './load.js'
import { startScript, startServe } from './start.js'

const SKILLS = 10_000
const ROUNDS = 9
const ROUND_MS = 1000
const CONNECTIONS = 16
/** Half the requests a second is twice the time. */
const LIMIT = 2

export async function measureListing() {
  const dir = mkdtempSync(join(tmpdir(), 'skills-bench-listing-'))
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
  generateSkills(join(dir, 'skills'), SKILLS)
  const empty = await startScript(fileURLToPath(new URL('empty.js', import.meta.url)))
  const ours = await startServe(dir)
  const body = '{"jsonrpc":"2.0","id":"1","method":"list_skills","params":{}}'
  const times = { empty: [], ours: [] }
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, { port }] of Object.entries({ empty, ours })) {
      const next = () => requestOf(port, body)
      const { answered, ms } = await loadFor(ROUND_MS, { port, next, connections: CONNECTIONS })
      if (round >= 0) times[name].push(ms / answered)
    }
  }
  await Promise.all([empty.stop(), ours.stop()])
  const ratios = times.ours.map((ms, at) => ms / times.empty[at])
  return {
    arm: 'list_skills, 10,000 skills',
    against: 'an empty Hono handler, time a call',
    median: median(ratios),
    p95: quantile(ratios, 0.95),
    limit: LIMIT,
    perSecond: {
      empty: Math.round(1000 / median(times.empty)),
      ours: Math.round(1000 / median(times.ours)),
    },
  }
}
