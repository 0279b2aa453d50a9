import { describe, expect, it } from 'vitest'
import {
  ALLOTMENT_MS,
  computeAllotment,
  type FrontDemand,
  type StoredAllotments,
} from '../../../src/fleet/limits/allotment.ts'

const NOW = 1_000_000
const IDLE: FrontDemand = { front: 'one', running: 0, waiting: 0, most: 4 }

function store(fronts: Record<string, [n: number, wants?: number, until?: number]>) {
  const entries = Object.entries(fronts).map(
    ([name, [n, wants = 0, until = NOW + 1000]]) => [name, { n, wants, until }] as const,
  )
  return { fronts: Object.fromEntries(entries) } satisfies StoredAllotments
}

describe('the allotment of a front', () => {
  it('is what its runs need, up to the limit', () => {
    expect(computeAllotment(undefined, { ...IDLE, waiting: 2 }, NOW).own).toMatchObject({ n: 2 })
    const { own } = computeAllotment(undefined, { ...IDLE, running: 3, waiting: 5 }, NOW)
    expect(own).toEqual({ n: 4, wants: 4, until: NOW + ALLOTMENT_MS })
  })

  it('is what other fronts leave', () => {
    const { own, stored } = computeAllotment(store({ two: [3] }), { ...IDLE, waiting: 2 }, NOW)
    expect(own).toMatchObject({ n: 1, wants: 1 })
    expect(stored.fronts['two']).toMatchObject({ n: 3 })
  })

  it('does not count fronts whose allotment expired', () => {
    const before = store({ two: [4, 0, NOW - 1] })
    const { own, stored } = computeAllotment(before, { ...IDLE, waiting: 2 }, NOW)
    expect(own).toMatchObject({ n: 2 })
    expect(Object.keys(stored.fronts)).toEqual(['one'])
  })

  it('is not stored if it is empty', () => {
    expect(computeAllotment(store({ one: [2] }), IDLE, NOW).stored).toEqual({ fronts: {} })
  })

  it('is not less than the runs in progress', () => {
    const { own } = computeAllotment(store({ two: [1, 3] }), { ...IDLE, running: 3 }, NOW)
    expect(own).toMatchObject({ n: 3 })
  })

  it('is at most a share while another front waits and has less', () => {
    const before = store({ two: [0, 3] })
    const { own, isContended } = computeAllotment(before, { ...IDLE, running: 1, waiting: 5 }, NOW)
    expect(own).toMatchObject({ n: 2 })
    expect(isContended).toBe(true)
  })

  it('of a single run goes to the front that waits', () => {
    const demand = { ...IDLE, waiting: 1, most: 1 }
    const { own } = computeAllotment(store({ two: [0, 1] }), demand, NOW)
    expect(own).toMatchObject({ n: 0, wants: 1 })
  })

  it.each([
    [[]],
    [{ fronts: 1 }],
    [{ fronts: { two: null } }],
    [{ fronts: { two: { n: -5, until: NOW + 1 } } }],
    [{ fronts: { two: { n: 'x', until: NOW + 1 } } }],
  ])('ignores damaged values, such as %j', (value) => {
    expect(computeAllotment(value, { ...IDLE, waiting: 4 }, NOW).own).toMatchObject({ n: 4 })
  })

  it('ignores a time that no front writes after its own time', () => {
    const before = store({ two: [4, 0, NOW + 1e12] })
    const { stored } = computeAllotment(before, { ...IDLE, waiting: 1 }, NOW)
    expect(stored.fronts['two']).toMatchObject({ until: NOW + ALLOTMENT_MS })
  })
})
