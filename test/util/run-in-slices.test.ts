import { describe, expect, it } from 'vitest'
import { joinChunks } from '../../src/util/slices/join-chunks.ts'
import { flattenText } from '../../src/util/slices/flatten-text.ts'
import { BEFORE_LONG_STEP, runInSlices, type Steps } from '../../src/util/slices/run-in-slices.ts'

/** Counts turns of the event loop while the work is done. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  const state = { isDone: false }
  void work.finally(() => (state.isDone = true))
  let turns = 0
  while (!state.isDone) {
    turns += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  return turns
}

function* doSteps(count: number, value?: typeof BEFORE_LONG_STEP): Steps<number> {
  for (let at = 0; at < count; at++) yield value
  return count
}

describe('runInSlices()', () => {
  it('does short work at once', async () => {
    expect(await countTurns(runInSlices(doSteps(3)))).toBe(1)
  })

  it('gives each long step, and the work after it, a turn of its own', async () => {
    expect(await countTurns(runInSlices(doSteps(3, BEFORE_LONG_STEP)))).toBeGreaterThanOrEqual(4)
  })

  it('returns the result', async () => {
    expect(await runInSlices(doSteps(7))).toBe(7)
  })
})

describe('flattenText()', () => {
  it('copies a long text in a step of its own, and a short one at once', () => {
    expect([...flattenText('x'.repeat(1_000_000))]).toEqual([BEFORE_LONG_STEP, BEFORE_LONG_STEP])
    expect([...flattenText('x')]).toEqual([])
  })
})

describe('joinChunks()', () => {
  it('joins in steps', async () => {
    const chunks = ['a', 'bc', '', 'd'].map((text) => Buffer.from(text))
    expect((await runInSlices(joinChunks(chunks))).toString()).toBe('abcd')
    expect([...joinChunks(chunks)]).toHaveLength(chunks.length)
    expect((await runInSlices(joinChunks([]))).length).toBe(0)
  })
})

describe('slices of several pieces of work', () => {
  it('are done one by one, in turns of the event loop', async () => {
    let turn = 0
    const turns: number[] = []
    const state = { isDone: false }
    const countTurn = () => {
      turn += 1
      if (!state.isDone) setImmediate(countTurn)
    }
    setImmediate(countTurn)
    function* work(): Steps<void> {
      for (let at = 0; at < 5; at++) {
        yield BEFORE_LONG_STEP
        turns.push(turn)
      }
    }
    await Promise.all(Array.from({ length: 4 }, async () => await runInSlices(work())))
    state.isDone = true
    expect(turns).toHaveLength(20)
    expect(new Set(turns).size).toBe(20)
  })
})
