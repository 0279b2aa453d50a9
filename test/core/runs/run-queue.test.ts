import { describe, expect, it } from 'vitest'
import { BoundedRunQueue, type RunSlot } from '../../../src/core/runs/queue/run-queue.ts'

const neverAborted = () => new AbortController().signal

/** A queue with the order in which its runs started and were refused. */
function createObservedQueue(limits: ConstructorParameters<typeof BoundedRunQueue>[0]) {
  const queue = new BoundedRunQueue(limits)
  const started: string[] = []
  const refused: string[] = []
  const slots: RunSlot[] = []
  const request = async (name: string, principal: string) => {
    try {
      slots.push(await queue.acquire(neverAborted(), principal))
      started.push(name)
    } catch {
      refused.push(name)
    }
  }
  const turn = async () => await new Promise((resolve) => setImmediate(resolve))
  return {
    queue,
    started,
    refused,
    /** Requests a run; the others continue. */
    async add(name: string, principal: string) {
      void request(name, principal)
      await turn()
    },
    async finishOne() {
      slots.shift()?.release()
      await turn()
    },
  }
}

/** One principal floods the queue, then another one requests `count` runs. */
async function attack(
  limits: ConstructorParameters<typeof BoundedRunQueue>[0],
  principals: readonly [string, string],
  count: number,
) {
  const at = createObservedQueue(limits)
  for (let n = 0; n < 100; n++) await at.add(`flood-${n}`, principals[0])
  for (let n = 0; n < count; n++) await at.add(`other-${n}`, principals[1])
  return at
}

const isOther = (name: string) => name.startsWith('other')
const LIMITS = { running: 4, waiting: 16, perPrincipal: 2 }

describe('a flood of runs by one principal', () => {
  it('refuses no run of another one, and leaves it slots', async () => {
    const at = await attack(LIMITS, ['a', 'b'], 8)
    expect(at.refused.filter(isOther)).toEqual([])
    expect(at.started.filter(isOther)).toEqual(['other-0', 'other-1'])
    expect([at.queue.running, at.queue.waiting]).toEqual([4, 16])
  })

  it('shuts out the same runs if they count as those of one principal', async () => {
    const { perPrincipal: _, ...unfair } = LIMITS
    const at = await attack(unfair, ['a', 'a'], 8)
    expect(at.refused.filter(isOther)).toHaveLength(8)
    expect(at.started.filter(isOther)).toEqual([])
  })

  it('does not delay the runs of another one behind its own', async () => {
    const at = await attack({ running: 2, waiting: 50 }, ['a', 'b'], 3)
    for (let n = 0; n < 4; n++) await at.finishOne()
    expect(at.started.filter(isOther).length).toBeGreaterThanOrEqual(2)
    const flood = await attack({ running: 2, waiting: 103 }, ['a', 'a'], 3)
    for (let n = 0; n < 4; n++) await flood.finishOne()
    expect(flood.started.filter(isOther)).toEqual([])
  })

  it('by several principals shares the slots evenly', async () => {
    const at = createObservedQueue({ running: 3, waiting: 60 })
    for (const principal of ['a', 'b', 'c']) {
      for (let n = 0; n < 20; n++) await at.add(principal, principal)
    }
    for (let n = 0; n < 27; n++) await at.finishOne()
    const counts = ['a', 'b', 'c'].map((name) => at.started.filter((each) => each === name).length)
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(3)
  })
})

describe('the priority of a run', () => {
  const MINUTE_MS = 60_000

  /** A queue, and the priorities of the runs that started: 'low' or 'normal'. */
  function createWeighedQueue(limits: ConstructorParameters<typeof BoundedRunQueue>[0]) {
    const clock = { ms: 0 }
    const queue = new BoundedRunQueue(limits, () => clock.ms)
    const slots: RunSlot[] = []
    const take = async (principal: string) => {
      const slot = await queue.acquire(neverAborted(), principal)
      slots.push(slot)
      return slot.hasLowPriority ? 'low' : 'normal'
    }
    return { queue, clock, slots, take, release: () => slots.shift()?.release() }
  }

  it('is low for all but one run of a principal beside a run of another one', async () => {
    const { take } = createWeighedQueue({ running: 8, waiting: 0 })
    expect(await take('other')).toBe('normal')
    expect([await take('flood'), await take('flood'), await take('flood')]).toEqual([
      'normal',
      'low',
      'low',
    ])
  })

  it('is normal for all runs of a principal that is alone', async () => {
    const { take } = createWeighedQueue({ running: 8, waiting: 0 })
    expect([await take('flood'), await take('flood')]).toEqual(['normal', 'normal'])
  })

  it('is normal for the lone run of each principal', async () => {
    const { take } = createWeighedQueue({ running: 8, waiting: 0 })
    expect([await take('a'), await take('b'), await take('c')]).toEqual(Array(3).fill('normal'))
  })

  it('is low for a run whose principal has more that wait', async () => {
    const at = createWeighedQueue({ running: 2, waiting: 8, perPrincipal: 1 })
    await at.take('other')
    await at.take('flood')
    const waiting = [at.take('flood'), at.take('flood')]
    at.slots[1]?.release()
    expect(await waiting[0]).toBe('low')
    at.slots[2]?.release()
    expect(await waiting[1]).toBe('normal')
  })

  it('is low until other principals have not used the queue for a minute', async () => {
    const at = createWeighedQueue({ running: 8, waiting: 0 })
    await at.take('other')
    at.clock.ms += 10 * MINUTE_MS
    // A run of another principal counts as long as it lasts.
    expect([await at.take('flood'), await at.take('flood')]).toEqual(['normal', 'low'])
    at.release()
    at.clock.ms += MINUTE_MS - 1
    expect(await at.take('flood')).toBe('low')
    at.clock.ms += 1
    expect(await at.take('flood')).toBe('normal')
  })
})

describe('a queue of runs', () => {
  it('starts the runs of one principal in order of arrival', async () => {
    const at = createObservedQueue({ running: 1, waiting: 5 })
    for (const name of ['one', 'two', 'three']) await at.add(name, 'a')
    await at.finishOne()
    await at.finishOne()
    expect(at.started).toEqual(['one', 'two', 'three'])
  })

  it('starts waiting runs when its limits are raised', async () => {
    const at = createObservedQueue({ running: 1, waiting: 5 })
    for (const name of ['one', 'two', 'three']) await at.add(name, 'a')
    at.queue.setLimits({ running: 3, waiting: 5 })
    await at.finishOne()
    expect(at.started).toHaveLength(3)
    expect(at.queue.waiting).toBe(0)
  })

  it('reports after which time to retry', async () => {
    const at = await attack({ running: 1, waiting: 3 }, ['a', 'a'], 0)
    await expect(at.queue.acquire(neverAborted(), 'a')).rejects.toMatchObject({
      code: 'run/busy',
      data: { retry_after_ms: expect.any(Number) },
    })
  })
})
