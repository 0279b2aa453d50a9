// @module-tag slow
import { expect, it, onTestFinished, vi } from 'vitest'
import { ProbedHealth } from '../../../src/fleet/engine/health.ts'

const NEVER = new Promise<never>(() => {})

it('an engine that answers pings while its streams are silent is away, but nodes are judged', async () => {
  let areSilent = false
  const health = new ProbedHealth(
    async () => {},
    async () => (areSilent ? await NEVER : true),
  )
  onTestFinished(() => health.stop())
  await expect.poll(() => health.isSteady, { timeout: 5000 }).toBe(true)
  expect(health.awayMs).toBe(0)
  areSilent = true
  await expect.poll(() => health.awayMs, { timeout: 10_000 }).toBeGreaterThan(0)
  expect([health.isAnswering, health.isSteady]).toEqual([true, true])
  areSilent = false
  await expect.poll(() => health.awayMs, { timeout: 10_000 }).toBe(0)
})

it('an engine whose pings are not answered is away, and no node is judged', async () => {
  const probe = vi.fn<() => Promise<void>>().mockResolvedValueOnce()
  probe.mockReturnValue(NEVER)
  const health = new ProbedHealth(probe, async () => true)
  onTestFinished(() => health.stop())
  await expect.poll(() => health.awayMs, { timeout: 5000 }).toBeGreaterThan(0)
  expect([health.isAnswering, health.isSteady]).toEqual([false, false])
})
