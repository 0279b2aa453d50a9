// @module-tag slow
// @module-tag nightly
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { findHierarchy1 } from '../../src/core/sandbox/cgroups/cgroup-mounts.ts'
import { createControlGroup } from '../../src/core/sandbox/cgroups/cgroup.ts'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'

const FLOOD = 'token-of-the-flooding-caller'
const OTHER = 'token-of-the-other-caller'
const SLEEP = 'import time\ndef main(args):\n    time.sleep(args["s"])\n'
const DEFAULT_SHARES = 1024
const RUNS = 3

const tried = createControlGroup('low-priority', { memoryBytes: 1024 ** 2, processes: 8 })
const names = tried?.folders.map((folder) => basename(folder)) ?? []
await tried?.remove()
/** The groups of this process begin with it. */
const PREFIX = names[0]?.replace(/[^.]*$/, '') ?? ''
const parent = findHierarchy1('cpu')?.ownGroup
const canRead = tried !== undefined && parent !== undefined && names.length > 0
const whyNot = canRead ? '' : ' (not run: no group of version 1 with a weight can be created here)'

/** Counts runs of this process whose control group has less than the default weight. */
function countLowRuns(): number {
  const groups = readdirSync(parent as string).filter((name) => name.startsWith(PREFIX))
  return groups.filter((name) => {
    try {
      const folder = join(parent as string, name)
      const hasMembers = readFileSync(join(folder, 'cgroup.procs'), 'utf8') !== ''
      return hasMembers && Number(readFileSync(join(folder, 'cpu.shares'), 'utf8')) < DEFAULT_SHARES
    } catch {
      // A run has ended meanwhile.
      return false
    }
  }).length
}

async function startServer(isWarm: boolean): Promise<TestServer> {
  const tokens = parseTokens(`${FLOOD} flood\n${OTHER} other\n`, 'tokens.txt')
  const settings = { 'run.max_concurrent': 8, 'serve.runs_per_caller': 4, 'run.warm': isWarm }
  const server = await startTestServer({ tokens, settings })
  await server.runtime.sandboxes.pool?.waitUntilSettled()
  return server
}

async function send(server: TestServer, token: string, seconds: number): Promise<void> {
  const params = { language: 'python', code: SLEEP, args: { s: seconds } }
  const headers = { authorization: `Bearer ${token}` }
  const response = await server.post({ jsonrpc: '2.0', id: 1, method: 'run_code', params }, headers)
  expect(await response.json()).toMatchObject({ result: { status: 'completed' } })
}

/** Runs of one caller at the same time: the largest number of those with a low priority. */
async function flood(server: TestServer): Promise<number> {
  const state = { isOver: false }
  const runs = Promise.all(
    Array.from({ length: RUNS }, async () => await send(server, FLOOD, 1)),
  ).finally(() => (state.isOver = true))
  let most = 0
  while (!state.isOver) {
    most = Math.max(most, countLowRuns())
    await sleep(20)
  }
  await runs
  return most
}

describe.each([
  ['warm', true],
  ['cold', false],
])(`%s runs of one caller at the same time${whyNot}`, (_, isWarm) => {
  it.skipIf(!canRead)('have a low priority, but for one, beside another caller', async () => {
    const server = await startServer(isWarm)
    await send(server, OTHER, 0)
    expect(await flood(server)).toBe(RUNS - 1)
  })

  it.skipIf(!canRead)('have the same priority if the caller is alone', async () => {
    const server = await startServer(isWarm)
    await send(server, FLOOD, 0)
    expect(await flood(server)).toBe(0)
  })
})
