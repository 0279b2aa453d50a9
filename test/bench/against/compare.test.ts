import { describe, expect, it } from 'vitest'
// @ts-expect-error benches are plain JavaScript
import { findSlow, isClearlyFast } from './compare.js'

/** Warm runs of two builds of one commit, recorded while other programs kept all cores busy. */
const EQUAL = {
  wall: [
    1.38, 0.85, 0.99, 1.18, 1.01, 1.42, 1.25, 0.85, 0.77, 0.95, 1.03, 0.9, 1.06, 0.95, 0.78, 0.81,
    0.92, 0.95,
  ],
  cpu: [
    0.93, 1.21, 1.02, 1.05, 1, 1.05, 0.98, 0.93, 1, 0.84, 1.09, 0.88, 1.15, 0.94, 0.98, 1, 0.94, 1,
  ],
}

/** The CPU time of warm runs, recorded with a loop in one build that took a quarter of their time. */
const SLOW = [
  1, 1.19, 1.15, 1.28, 1.2, 1.23, 1.37, 1.21, 1.26, 1.28, 1.12, 1.26, 1.35, 1.29, 1.35, 1.08, 1.21,
  1.32, 1.14, 1.25, 1.27, 1.24, 1.13, 1.32, 1.17, 1.28, 1.24, 1.16, 1.13, 1.16, 1.16, 1.33, 1.3,
  1.26, 1.27, 1.27,
]

describe('the comparison of two builds', () => {
  it('measures a path again while noise hides whether it is fast', () => {
    const first = { wall: EQUAL.wall.slice(0, 9), cpu: EQUAL.cpu.slice(0, 9) }
    expect(isClearlyFast(first)).toBe(false)
    expect(isClearlyFast(EQUAL)).toBe(true)
    expect(isClearlyFast({ wall: [], cpu: [] })).toBe(false)
  })

  it('finds no slow path in equal builds', () => {
    expect(findSlow('warm runs', EQUAL)).toEqual([])
  })

  it.each([9, 18, 27, 36])('finds a path that is slower by a quarter in %i rounds', (rounds) => {
    const cpu = SLOW.slice(0, rounds)
    expect(isClearlyFast({ wall: EQUAL.wall, cpu })).toBe(false)
    expect(isClearlyFast({ wall: cpu, cpu: EQUAL.cpu })).toBe(false)
    expect(findSlow('warm runs', { wall: EQUAL.wall, cpu })).toEqual([
      expect.stringMatching(/^slow: warm runs: 1\.2\d times the CPU time, at most 1\.15/),
    ])
    expect(findSlow('warm runs', { wall: cpu, cpu: EQUAL.cpu })).toEqual([
      expect.stringMatching(/^slow: warm runs: 1\.2\d times the wall time, at most 1\.15/),
    ])
  })
})
