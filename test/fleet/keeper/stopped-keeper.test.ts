// @module-tag slow
// @module-tag nightly
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readLeaseHolder } from '../../../src/fleet/keeper/lease.ts'
import { openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'
import { countWork, startTestKeeper } from './keeper-nodes.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

const nats = useNatsServer()
const PATIENCE = { timeout: 30_000, interval: 20 }
const SCRIPT = fileURLToPath(new URL('run-keeper.ts', import.meta.url))

/** Starts a keeper in another process, and waits until it works. */
async function startProcess(tenant: string, node: string) {
  const args = ['--import', BUILT_MODULES, SCRIPT, nats.server.url, tenant, node]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  let lines = 0
  child.stdout.on('data', (chunk: Buffer) => (lines += chunk.toString().split('\n').length - 1))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, ended, countLines: () => lines }
}

describe('a keeper', () => {
  it('that is killed is replaced', async () => {
    const engine = await openTestEngine(nats.server)
    const { child, ended } = await startProcess(engine.tenant, 'a')
    await expect.poll(async () => await countWork(engine, 'a'), PATIENCE).toBeGreaterThan(2)
    startTestKeeper(engine, 'b')
    child.kill('SIGKILL')
    await ended
    await expect.poll(async () => await countWork(engine, 'b'), PATIENCE).toBeGreaterThan(2)
    expect(await readLeaseHolder(engine)).toMatchObject({ node: 'b' })
  })

  it('that was stopped past its lease does nothing until it has the lease again', async () => {
    const engine = await openTestEngine(nats.server)
    const { child, countLines } = await startProcess(engine.tenant, 'a')
    await expect.poll(async () => await countWork(engine, 'a'), PATIENCE).toBeGreaterThan(2)
    child.kill('SIGSTOP')
    const { keeper } = startTestKeeper(engine, 'b')
    await expect.poll(async () => await countWork(engine, 'b'), PATIENCE).toBeGreaterThan(2)
    const { lastSeq } = await engine.measure('audit')
    const before = countLines()
    child.kill('SIGCONT')
    await expect.poll(countLines, PATIENCE).toBeGreaterThan(before + 40)
    expect(keeper.isWorking).toBe(true)
    expect(await countWork(engine, 'a', lastSeq)).toBe(0)
    await keeper.stop()
    await expect
      .poll(async () => await countWork(engine, 'a', lastSeq), PATIENCE)
      .toBeGreaterThan(2)
    expect(await readLeaseHolder(engine)).toMatchObject({ node: 'a' })
  })
})
