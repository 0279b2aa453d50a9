import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDetachedStore } from '../../../../src/core/runs/detached/file-detached-store.ts'
import { createRunId } from '../../../../src/core/runs/history/run-id.ts'
import { createFolder } from '../../../helpers/skills.ts'

const NO_LIMITS = { perCaller: 10, ttlMs: Infinity, ended: { perCaller: 1000, bytes: Infinity } }

/** A caller who starts many short runs; returns the texts of the results that are left. */
async function flood(ended: { perCaller: number; bytes: number }, callers: readonly string[]) {
  const store = openDetachedStore(join(createFolder(), 'detached'), { ...NO_LIMITS, ended })
  for (const [at, principal] of callers.entries()) {
    const id = createRunId()
    const time = new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString()
    const who = { door: 'http', caller: principal }
    await store.create({ run_id: id, kind: 'execute', who, principal, started_at: time })
    await store.begin(id)
    const result = `${principal} ${at} ${'x'.repeat(1000)}`
    await store.end(id, { ended_at: time, result, recorded_run_id: null })
  }
  return (await store.list()).map(({ end }) => String(end?.result).replace(/ x+$/, ''))
}

describe('a caller that starts many detached runs', () => {
  const callers = ['alice', 'mallory', 'mallory', 'mallory', 'mallory', 'mallory']

  it('loses its own oldest results', async () => {
    const left = await flood({ perCaller: 2, bytes: Infinity }, callers)
    // The last run ended after the results were counted.
    expect(left).toEqual(['mallory 5', 'mallory 4', 'mallory 3', 'alice 0'])
    // The control: within the limits, all results are kept.
    expect(await flood(NO_LIMITS.ended, callers)).toHaveLength(callers.length)
  })

  it('cannot fill the disk with results', async () => {
    expect(await flood({ perCaller: 1000, bytes: 2500 }, callers)).toEqual([
      'mallory 5',
      'mallory 4',
      'mallory 3',
    ])
  })
})
