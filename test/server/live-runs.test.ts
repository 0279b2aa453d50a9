import { afterEach, describe, expect, it, vi } from 'vitest'
import { ANONYMOUS } from '../../src/server/auth/caller.ts'
import { RunIds } from '../../src/core/runs/history/run-id.ts'
import { createLiveRuns } from '../../src/server/runs/live-runs.ts'

afterEach(() => void vi.useRealTimers())

describe('createLiveRuns()', () => {
  it('keeps no state and no timer for a call that started no run', () => {
    vi.useFakeTimers()
    const runs = createLiveRuns(new RunIds())
    for (let at = 0; at < 1000; at++) {
      const run = runs.start(ANONYMOUS, undefined, () => {})
      run.end('failed')
      runs.remove(run.id)
    }
    expect([runs.size, vi.getTimerCount()]).toEqual([0, 0])
  })

  it('replays only the latest progress, which displaces no logs', () => {
    const run = createLiveRuns(new RunIds()).start(ANONYMOUS, undefined, () => {})
    run.publish({ type: 'log', stream: 'stdout', text: 'first line' })
    for (let done = 1; done <= 20_000; done++) {
      run.publish({ type: 'progress', done, total: 20_000, message: 'x'.repeat(400) })
    }
    const replayed: unknown[] = []
    run.subscribe(({ number, name }) => replayed.push([number, name]))
    expect(replayed).toEqual([
      [1, 'log'],
      [20_001, 'progress'],
    ])
    run.end('completed')
  })

  it('keeps a limited number of ended runs for a minute each', () => {
    vi.useFakeTimers()
    const runs = createLiveRuns(new RunIds())
    for (let at = 0; at < 1000; at++) runs.start(ANONYMOUS, undefined, () => {}).end('completed')
    expect([runs.size, vi.getTimerCount()]).toEqual([50, 50])
    vi.advanceTimersByTime(60_000)
    expect([runs.size, vi.getTimerCount()]).toEqual([0, 0])
  })
})
