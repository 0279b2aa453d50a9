// @module-tag slow
// @module-tag nightly
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer, type RpcAnswer, type TestServer } from '../helpers/server.ts'

const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))
const FLOOD = 'token-of-the-flooding-caller'
const OTHER = 'token-of-the-other-caller'
const SLEEP = 'import time\ndef main(args):\n    time.sleep(2)\n    return "slept"\n'
const RUNS = 5
/** Runs of the flood that are under way or refused at any time. */
const CONCURRENT = 24
/** The target is 2; the bound has room for a busy machine. */
const MAX_RATIO = 8

interface Call {
  method: string
  params: object
}

const SLOW_RUN = { method: 'run_code', params: { language: 'python', code: SLEEP } }
const SHORT_RUN = { method: 'execute_skill', params: { name: 'demo.greet' } }

async function startServer(): Promise<TestServer> {
  const tokens = parseTokens(`${FLOOD} flood\n${OTHER} other\n`, 'tokens.txt')
  const settings = { 'run.max_concurrent': 4, 'run.max_waiting': 8 }
  return await startTestServer({ tree, tokens, settings })
}

/** Sends a call with a token. */
async function send(server: TestServer, token: string, { method, params }: Call) {
  const headers = { authorization: `Bearer ${token}` }
  const response = await server.post({ jsonrpc: '2.0', id: 1, method, params }, headers)
  return (await response.json()) as RpcAnswer
}

/** Requests runs all the time until the returned function is called. */
function startFlood(server: TestServer) {
  const state = { isOn: true }
  const work = Array.from({ length: CONCURRENT }, async () => {
    while (state.isOn) {
      const { error } = await send(server, FLOOD, SLOW_RUN)
      // Sooner than the response asks for.
      if (error) await sleep(20)
    }
  })
  return async () => {
    state.isOn = false
    await Promise.all(work)
  }
}

/** Runs one after the other: the median of the milliseconds, and the number of refused ones. */
async function measureRuns(server: TestServer, token: string) {
  const times: number[] = []
  let refused = 0
  for (let n = 0; n < RUNS; n++) {
    const start = performance.now()
    const { result } = await send(server, token, SHORT_RUN)
    times.push(performance.now() - start)
    if (result?.['status'] !== 'completed') refused += 1
  }
  return { median: times.sort((a, b) => a - b)[RUNS >> 1] as number, refused }
}

describe('a flood of runs with one token', () => {
  it('neither refuses nor delays the runs of another token', async () => {
    const server = await startServer()
    await measureRuns(server, OTHER)
    const alone = await measureRuns(server, OTHER)
    const stop = startFlood(server)
    await sleep(1000)
    const beside = await measureRuns(server, OTHER)
    await stop()
    expect([alone.refused, beside.refused]).toEqual([0, 0])
    expect(beside.median / alone.median).toBeLessThan(MAX_RATIO)
  }, 300_000)

  it('refuses or delays runs with the same token', async () => {
    const server = await startServer()
    await measureRuns(server, FLOOD)
    const alone = await measureRuns(server, FLOOD)
    const stop = startFlood(server)
    await sleep(1000)
    const beside = await measureRuns(server, FLOOD)
    await stop()
    expect(beside.refused > 0 || beside.median / alone.median > 2).toBe(true)
  }, 300_000)
})
