import { afterAll, describe, expect, it } from 'vitest'
import { PROBES, RUN_CASES } from './cases.ts'
import { selectGuaranteed, SUBJECTS } from './subjects.ts'

const ALL = [...PROBES, ...RUN_CASES]
const counted: string[] = []
afterAll(() => console.log(`attacks tried:\n${counted.join('\n')}`))

describe('the list of attacks', () => {
  it('contains at least 150 attacks with unique names', () => {
    expect(ALL.length).toBeGreaterThanOrEqual(150)
    expect(new Set(ALL.map(({ id }) => id)).size).toBe(ALL.length)
    expect(new Set(ALL.map(({ says }) => says)).size).toBe(ALL.length)
  })

  it('contains a control or a reason for each attack', () => {
    // Every probe also runs outside; a reason explains why it may fail there.
    for (const { mayFail } of PROBES) expect(mayFail ?? 'none is needed').not.toBe('')
    for (const { id, control } of RUN_CASES) {
      expect(Object.keys(control)[0], id).toMatch(/^(?:bare|run|host|none)$/)
      if ('none' in control) expect(control.none.split(' ').length, id).toBeGreaterThan(3)
    }
    const bare = RUN_CASES.filter(({ control }) => 'none' in control)
    expect(bare.length).toBeLessThan(ALL.length / 10)
  })

  it.each(SUBJECTS)(
    'runs on $backend for $tier, $path, as far as the backend guarantees isolation',
    async (subject) => {
      const cases = await selectGuaranteed(subject.backend, ALL)
      counted.push(
        `${subject.backend}, ${subject.tier}, ${subject.path}: ${cases.length} of ${ALL.length}${subject.left}`,
      )
      if (subject.backend !== 'process') expect(cases).toHaveLength(ALL.length)
      else expect(cases.length).toBeGreaterThan(50)
    },
  )
})
