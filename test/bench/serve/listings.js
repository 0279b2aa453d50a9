// Listings of 10,000 skills: the first request after a start, the same when nothing changed, and
// the delay of another caller meanwhile. The first start ever reads each skill; a later one reads
// the one that changed. With a number as argument, it has that many skills.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { generateSkills } from '../generate-skills.js'
import { startServe } from './start.js'

const SKILLS = 10_000
const WARM_ROUNDS = 5
const PING_MS = 2

/** Names of the listings, with a function that requests each. */
const LISTINGS = {
  list_skills: (server) => server.rpc('list_skills'),
  'well-known index': (server) => server.read('/.well-known/agent-skills/index.json'),
  'MCP tools': (server) => server.mcp('tools/list'),
  'MCP prompts': (server) => server.mcp('prompts/list'),
  'MCP resources': (server) => server.mcp('resources/list'),
  'MCP skills': (server) => server.mcp('skills/list'),
  skill_list_docs: (server) =>
    server.rpc('skill_list_docs', { skill: 'group0.skill0', session: 's' }),
}

export async function measureListings(count = SKILLS) {
  const dir = mkdtempSync(join(tmpdir(), 'skills-bench-listings-'))
  try {
    generateSkills(join(dir, 'skills'), count)
    const first = await requestAll(dir)
    appendFileSync(join(dir, 'skills/group-0/skill-0/SKILL.md'), '\nMore.\n')
    const later = await requestAll(dir, WARM_ROUNDS)
    return describeRows(count, first, later)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function describeRows(count, first, later) {
  const skills = `${count.toLocaleString('en')} skills`
  const toList = (values) => Object.entries(values).map(([name, ratio]) => ({ name, ratio }))
  const max = (values) => Math.round(Math.max(...Object.values(values)))
  const index = later.cold['well-known index'] / first.cold['well-known index']
  return [
    {
      arm: `${skills}, after start`,
      unit: 'ms',
      max: max(later.cold),
      limit: 2000,
      of: toList(later.cold),
    },
    {
      arm: `${skills}, warm`,
      unit: 'ms',
      max: max(later.warm),
      limit: 300,
      of: toList(later.warm),
    },
    { arm: 'another caller, p99', unit: 'ms', max: Math.round(later.p99), limit: 50 },
    {
      arm: 'index, one skill changed',
      against: 'the first index ever',
      median: index,
      p95: index,
      limit: 0.2,
    },
  ]
}

/** Requests each listing once after a start, and then `rounds` times: milliseconds by name. */
async function requestAll(dir, rounds = 0) {
  const served = await startServe(dir)
  const server = createCaller(`http://127.0.0.1:${served.port}`)
  await server.initialize()
  const pings = startPings(server)
  const cold = await timeAll(server)
  const warm = {}
  for (let round = 0; round < rounds; round++) {
    for (const [name, ms] of Object.entries(await timeAll(server))) {
      warm[name] = Math.max(warm[name] ?? 0, ms)
    }
  }
  const p99 = await pings.stop()
  await served.stop()
  return { cold, warm, p99 }
}

async function timeAll(server) {
  const times = {}
  for (const [name, request] of Object.entries(LISTINGS)) {
    const start = performance.now()
    await request(server)
    times[name] = performance.now() - start
  }
  return times
}

/** Calls the health check all the time; `stop` returns the 99th percentile of its delay. */
function startPings(server) {
  const state = { isOn: true }
  const delays = []
  const done = (async () => {
    while (state.isOn) {
      const start = performance.now()
      await server.read('/healthz')
      delays.push(performance.now() - start)
      await sleep(PING_MS)
    }
  })()
  return {
    async stop() {
      state.isOn = false
      await done
      return delays.toSorted((a, b) => a - b)[Math.floor(delays.length * 0.99)]
    },
  }
}

/** Parses a response: its whole body, or the last event of a stream. */
function parseReply(text) {
  return JSON.parse(text.startsWith('{') ? text : text.slice(text.lastIndexOf('\ndata: ') + 7))
}

function createCaller(url) {
  let session = {}
  const send = async (path, body, headers = {}) => {
    const all = { 'content-type': 'application/json', ...headers }
    const response = await fetch(url + path, {
      method: 'POST',
      headers: all,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
    })
    const text = await response.text()
    // A schema may contain the name "error" at a deeper level.
    if (!response.ok || parseReply(text).error) throw new Error(`${body.method}: ${text}`)
    return response
  }
  const accept = 'application/json, text/event-stream'
  return {
    read: async (path) => (await fetch(url + path)).text(),
    rpc: async (method, params = {}) => await send('/rpc', { method, params }),
    mcp: async (method) => await send('/mcp', { method, params: {} }, { accept, ...session }),
    async initialize() {
      const protocolVersion = '2025-06-18'
      const clientInfo = { name: 'bench', version: '1' }
      const params = { protocolVersion, capabilities: {}, clientInfo }
      const response = await send('/mcp', { method: 'initialize', params }, { accept })
      session = {
        'mcp-session-id': response.headers.get('mcp-session-id'),
        'mcp-protocol-version': protocolVersion,
      }
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(JSON.stringify(await measureListings(Number(process.argv[2] ?? SKILLS)), null, 2))
}
