import { describe, expect, it } from 'vitest'
// @ts-expect-error benches are plain JavaScript
import { findMissedLimits, printMissedLimits } from './missed-limits.js'
// @ts-expect-error benches are plain JavaScript
import { measureArm } from './measure-arm.js'

const arms = (rows: object[]): string[] =>
  findMissedLimits(rows).map(({ arm }: { arm: string }) => arm)

describe('limits of the bench', () => {
  it('are missed above a most and below a least, and kept at either', () => {
    const rows = [
      { arm: 'slow', median: 1.6, p95: 2, limit: 1.5 },
      { arm: 'at the limit', median: 1.5, p95: 9, limit: 1.5 },
      { arm: 'late at times', median: 0.4, p95: 0.9, limit: 0.45, limitP95: 0.8 },
      { arm: 'few', median: 2.5, atLeast: 3 },
      { arm: 'few of them', median: 0.6, p95: 1, least: 0.7 },
      { arm: 'large', median: 1, limit: 2, memoryMiB: 70, memoryLimitMiB: 64 },
      { arm: 'worst case', max: 200, limit: 150 },
      { arm: 'without a limit', median: 9, p95: 9 },
    ]
    expect(arms(rows)).toEqual([
      'slow',
      'late at times',
      'few',
      'few of them',
      'large',
      'worst case',
    ])
  })

  it('fail the check where they are missed by more than noise', () => {
    expect(printMissedLimits([{ arm: 'few', median: 2.5, atLeast: 3 }])).toBe(false)
    expect(printMissedLimits([{ arm: 'few', median: 2, atLeast: 3 }])).toBe(true)
  })

  it('are unknown of an arm that throws, which fails the check', async () => {
    const rows = await measureArm('broken', async () => {
      throw new Error('a reason')
    })
    expect(rows).toEqual([{ arm: 'broken', failure: 'a reason' }])
    expect(printMissedLimits(rows)).toBe(true)
    const fine = await measureArm('fine', async () => ({ arm: 'fine', median: 1, limit: 2 }))
    expect(printMissedLimits(fine)).toBe(false)
  })
})
