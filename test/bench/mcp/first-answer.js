// Measures how soon after its start `skills mcp` answers a client's first request, with 100 skills,
// against a Node process that does nothing. All requests that may come first alternate in one loop.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateSkills } from '../generate-skills.js'

const BIN = fileURLToPath(new URL('../../../bin/skills.js', import.meta.url))
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 11)
const CLIENT = { name: 'bench', version: '1' }
const MODERN = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': {},
  },
}
const REQUESTS = {
  initialize: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT },
  // Clients without sessions begin with one of these.
  'server/discover': MODERN,
  'tools/list': MODERN,
  'prompts/list': MODERN,
  ping: {},
}

export async function measureFirstAnswer() {
  const work = mkdtempSync(join(tmpdir(), 'skills-bench-'))
  generateSkills(join(work, 'skills'), 100)
  const pairs = []
  // The first round fills caches.
  for (let round = -1; round < ROUNDS; round++) {
    const node = await measureTime(['-e', '0'], work)
    for (const [method, params] of Object.entries(REQUESTS)) {
      const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const ms = await measureTime([BIN, 'mcp'], work, request)
      if (round >= 0) pairs.push(ms / node)
    }
  }
  rmSync(work, { recursive: true, force: true })
  pairs.sort((a, b) => a - b)
  return {
    arm: 'skills mcp, first answer',
    against: 'node -e 0',
    median: pairs[Math.floor(pairs.length / 2)],
    p95: pairs[Math.min(pairs.length - 1, Math.floor(pairs.length * 0.95))],
    limit: 3,
  }
}

/** Time from the start of a process to its first response, or to its exit without a request. */
async function measureTime(argv, cwd, request) {
  const start = process.hrtime.bigint()
  const env = { PATH: process.env.PATH, HOME: cwd }
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  if (request === undefined) await ended
  else {
    child.stdin.write(`${request}\n`)
    await new Promise((resolve, reject) => {
      child.stdout.once('data', resolve)
      void ended.then((code) => reject(new Error(`skills mcp ended with ${code}`)))
    })
  }
  const ms = Number(process.hrtime.bigint() - start) / 1e6
  child.stdin.end()
  await ended
  return ms
}
