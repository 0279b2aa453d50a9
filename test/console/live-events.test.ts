// @module-tag slow
// @module-tag nightly
import { expect, it, onTestFinished, vi } from 'vitest'
import { listen } from '../../src/server/http/listen.ts'
import { createTestApp } from '../helpers/app.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer } from '../helpers/server.ts'
import { writeTree } from '../helpers/skills.ts'
import { openConsole } from './open-console.ts'

const TRUST = { hosts: new Set(['127.0.0.1']), anyAddress: false, origins: new Set<string>() }
const GONE = /ERR_(?:CONNECTION|EMPTY|INCOMPLETE)|status of 503/

/** A server whose state the test can see. */
async function startSeenServer(port = 0) {
  const { context } = await createTestApp({}, {}, { hasConsole: true, trust: TRUST })
  const server = await listen(context, { host: '127.0.0.1', port })
  const stop = async () => {
    context.consoleEvents.close()
    await server.close(0)
  }
  onTestFinished(stop)
  return { ...server, events: context.consoleEvents, stop }
}

const RUN = {
  run_id: `run_${'1'.repeat(32)}`,
  caller: 'alice',
  method: 'run_code',
  at: '2026-01-01',
}

it('an added skill appears without a new load of the page', async (test) => {
  const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))
  const server = await startTestServer({ tree, watch: true, settings: { 'run.warm': false } })
  const { page } = await openConsole(test, { server })
  await page.getByText('demo.greet').first().waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  writeTree(server.dir, prefixPaths('skills/wave', createActionSkill('demo.wave')))
  await page.getByText('demo.wave').first().waitFor()
})

it('the number of running runs is shown, and falls when they end', async (test) => {
  const server = await startSeenServer()
  const { page, checkAccessibility } = await openConsole(test, { server })
  await page.getByText('live', { exact: true }).waitFor()
  server.events.reportRun('alice', { ...RUN, state: 'queued' })
  server.events.reportRun('alice', { ...RUN, run_id: `run_${'2'.repeat(32)}`, state: 'queued' })
  await page.getByText('live · 2 runs').waitFor()
  await checkAccessibility()
  server.events.reportRun('alice', { ...RUN, state: 'ended', status: 'completed' })
  await page.getByText('live · 1 run').waitFor()
  // A page that is opened later learns of the run that is left.
  await page.reload()
  await page.getByText('live · 1 run').waitFor()
})

it('a hidden tab has no stream, and a visible one has one', async (test) => {
  const server = await startSeenServer()
  const { page } = await openConsole(test, { server })
  await page.getByText('live', { exact: true }).waitFor()
  expect(server.events.size).toBe(1)
  const setHidden = async (isHidden: boolean) =>
    await page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
  await setHidden(true)
  await page.getByText('paused').waitFor()
  await vi.waitFor(() => expect(server.events.size).toBe(0))
  server.events.reportRun('alice', { ...RUN, state: 'queued' })
  await setHidden(false)
  await page.getByText('live · 1 run').waitFor()
  expect(server.events.size).toBe(1)
})

it('the page says that the server is gone, and goes on when it is back', async (test) => {
  const first = await startSeenServer()
  const { page } = await openConsole(test, { server: first, allowedProblems: GONE })
  await page.getByText('There are no skills here.').first().waitFor()
  await page.getByText('live', { exact: true }).waitFor()
  await first.stop()
  await page.getByText('The server does not answer').waitFor()
  expect(await page.getByText('There are no skills here.').count()).toBeGreaterThan(0)
  const second = await startSeenServer(first.port)
  await page.getByText('live', { exact: true }).waitFor()
  await page.getByText('The server does not answer').waitFor({ state: 'detached' })
  expect(second.events.size).toBe(1)
})
