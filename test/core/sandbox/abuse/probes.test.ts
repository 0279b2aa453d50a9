// @module-tag slow
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROBES } from './cases.ts'
import { openHost, type Host } from './host.ts'
import { isRoot } from './start-worker.ts'
import { selectGuaranteed, SUBJECTS } from './subjects.ts'
import { runProbesInside, runProbesOutside, type ProbeResults } from './try-probes.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(async () => await host.close())

const only = isRoot ? '' : ' (not run: outside, only root gets through everywhere)'

describe.skipIf(!isRoot)(`without a sandbox${only}`, () => {
  let answers: ProbeResults
  beforeAll(async () => {
    answers = await runProbesOutside(PROBES, host)
  })

  it.each(PROBES)('$id: a program $says', ({ id, mayFail }) => {
    // A probe that fails outside as well would pass inside without any protection.
    expect(answers[id]).toMatch(mayFail === undefined ? /^through$/ : /^(?:through$|held: )/)
  })
})

for (const { backend, tier, path, left } of SUBJECTS) {
  const probes = await selectGuaranteed(backend, PROBES)
  describe.skipIf(left !== '')(`a ${path} run by ${backend} for ${tier}${left}`, () => {
    let answers: ProbeResults = {}
    beforeAll(async () => {
      const inside = await runProbesInside(probes, { host, backend, tier, path })
      answers = inside.answers
      expect(inside.isolation).toMatchObject({ backend, path })
    })

    it.each(probes)('$id: never $says', ({ id }) => {
      expect(answers[id]).toMatch(/^held: /)
    })
  })
}
