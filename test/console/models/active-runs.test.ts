import fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyRunChanges } from '../../../src/console/models/active-runs.ts'

const change = (run_id: string, state: string) => ({
  run_id,
  state,
  method: 'run_code',
  caller: 'alice',
  at: '2026-01-01T00:00:00Z',
})

it('a run is active from its first change to its end, however changes are batched', () => {
  const changes = fc.array(
    fc.record({
      id: fc.constantFrom('run_1', 'run_2', 'run_3'),
      state: fc.constantFrom('queued', 'running', 'ended'),
    }),
  )
  fc.assert(
    fc.property(changes, fc.nat(), (all, cut) => {
      const list = all.map(({ id, state }) => change(id, state))
      const at = list.length === 0 ? 0 : cut % list.length
      const once = applyRunChanges(new Map(), list)
      const first = applyRunChanges(new Map(), list.slice(0, at))
      expect(applyRunChanges(first, list.slice(at))).toEqual(once)
      for (const id of ['run_1', 'run_2', 'run_3']) {
        const last = list.findLast((each) => each.run_id === id)
        expect(once.get(id)).toEqual(last?.state === 'ended' ? undefined : last)
      }
    }),
  )
})
