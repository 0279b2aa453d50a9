// @module-tag slow
// @module-tag nightly
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { JobFleet } from './job-fleet.ts'
import type { JobFront } from './job-front.ts'

let fleet: JobFleet
let front: JobFront

beforeEach(async () => {
  fleet = await JobFleet.start()
  front = await fleet.addFront('front1')
})
afterEach(async () => {
  const violations = await fleet.check()
  await fleet.close()
  expect(violations).toEqual([])
})

async function countJobs(): Promise<number> {
  return (await front.engine.subjects('jobs', 'j.>')).length
}

it('a run whose worker is killed is reported as interrupted, and never begins again', async () => {
  await fleet.addWorker('w1')
  const id = await front.start(60_000)
  await fleet.waitForBegin(id)
  await fleet.kill('w1')
  expect(await front.wait(id)).toBe('run/interrupted')
  await fleet.addWorker('w2')
  await expect.poll(countJobs, { timeout: 20_000 }).toBe(0)
  expect(fleet.begins(id)).toEqual(['w1'])
})

it('a worker that gets the job of a killed one reports the run as interrupted', async () => {
  await fleet.addWorker('w1')
  const first = await fleet.addFront('front2')
  const id = await first.start(60_000)
  await fleet.waitForBegin(id)
  // The front that follows the run is gone as well.
  await first.close()
  fleet.fronts.pop()
  await fleet.kill('w1')
  await fleet.addWorker('w2')
  expect(await front.wait(id)).toBe('run/interrupted')
  expect(fleet.begins(id)).toEqual(['w1'])
})

it('a job that is delivered again while its worker lives is left to it', async () => {
  await fleet.addWorker('w1')
  const id = await front.start(12_000)
  await fleet.waitForBegin(id)
  await fleet.addWorker('w2')
  // The engine hears nothing of the worker for longer than the ack wait, and delivers the job again.
  fleet.signal('w1', 'SIGSTOP')
  await sleep(3500)
  fleet.signal('w1', 'SIGCONT')
  expect(await front.wait(id)).toBe('completed')
  expect(fleet.begins(id)).toEqual(['w1'])
})

it('runs end although the engine is killed and starts again', async () => {
  await fleet.addWorker('w1', { places: 4 })
  await fleet.addWorker('w2', { places: 4 })
  const ids = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => await front.start(300 * at)),
  )
  await fleet.waitForBegin(ids[0] ?? '')
  await fleet.restartEngine(1500)
  const outcomes = await Promise.all(ids.map(async (id) => await front.wait(id)))
  expect(outcomes).toEqual(ids.map(() => 'completed'))
  await expect.poll(countJobs, { timeout: 20_000 }).toBe(0)
})

it('a worker that drains ends its runs and leaves the others in the queue', async () => {
  await fleet.addWorker('w1', { places: 2 })
  const ids = [await front.start(2000), await front.start(20)]
  const [running = '', queued = ''] = ids
  await fleet.waitForBegin(running)
  await fleet.drain('w1')
  expect(await front.wait(running)).toBe('completed')
  expect(fleet.begins(queued)).toEqual([])
  await fleet.addWorker('w2')
  expect(await front.wait(queued)).toBe('completed')
  expect(fleet.begins(queued)).toEqual(['w2'])
})

it.each(['after-fence', 'in-run', 'before-end'] as const)(
  'a run whose worker dies %s is interrupted',
  async (failpoint) => {
    await fleet.addWorker('w1', { failpoint })
    const id = await front.start(50)
    await fleet.waitForExit('w1')
    await fleet.addWorker('w2')
    expect(await front.wait(id)).toBe('run/interrupted')
    await expect.poll(countJobs, { timeout: 20_000 }).toBe(0)
    expect(fleet.begins(id).length).toBeLessThan(2)
  },
)

it('a run whose worker dies before the fence begins on another worker', async () => {
  await fleet.addWorker('w1', { failpoint: 'before-fence' })
  const id = await front.start(50)
  await fleet.waitForExit('w1')
  await fleet.addWorker('w2')
  expect(await front.wait(id)).toBe('completed')
  expect(fleet.begins(id)).toEqual(['w2'])
})

it('a run whose worker dies after its end was stored has this end', async () => {
  await fleet.addWorker('w1', { failpoint: 'after-end' })
  const id = await front.start(50)
  await fleet.waitForExit('w1')
  await fleet.addWorker('w2')
  expect(await front.wait(id)).toBe('completed')
  await expect.poll(countJobs, { timeout: 20_000 }).toBe(0)
  expect(fleet.begins(id)).toEqual(['w1'])
})
