// @module-tag slow
// @module-tag nightly
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import type { Failpoint } from './failpoint.ts'
import { FaultedFleet } from './faulted-fleet.ts'

let fleet: FaultedFleet

beforeAll(async () => {
  fleet = await FaultedFleet.start(0)
})
afterAll(async () => await fleet.close())

/** Runs a call on a worker that kills itself at the failpoint, and then on a healthy one if it may. */
async function runWithFailpoint(failpoint: Failpoint, { isRepeated = false } = {}) {
  const name = `dies-${failpoint}`
  await fleet.startWorker(name, 4, { failpoint })
  while (!fleet.front.workers.find(name)) await new Promise((done) => setTimeout(done, 20))
  const run = fleet.front.run(createRunId(), 100)
  await fleet.waitForExit(name)
  if (isRepeated) await fleet.addWorker()
  const outcome = await run
  await expect(fleet.check()).resolves.toEqual([])
  return outcome
}

it.each(['after-fence', 'in-run', 'before-end', 'after-announcement'] as const)(
  'a run whose worker dies %s is reported as interrupted',
  async (failpoint) => {
    await expect(runWithFailpoint(failpoint)).resolves.toBe('run/interrupted')
  },
)

it('a run whose worker dies after its end was stored has this end', async () => {
  await expect(runWithFailpoint('after-end')).resolves.toBe('completed')
})

it('a run whose worker dies before the fence begins on another worker', async () => {
  await expect(runWithFailpoint('before-fence', { isRepeated: true })).resolves.toBe('completed')
})
