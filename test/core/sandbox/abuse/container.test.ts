import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chooseBackend } from '../../../../src/core/sandbox/backends.ts'
import { PROBES } from './cases.ts'
import { openHost, type Host } from './host.ts'
import { tryInside, type Answers } from './try-probes.ts'

const { probe } = await chooseBackend('container')
const here = await probe(process.env, { engine: 'auto', image: undefined })
const whyNot = here.ok ? '' : ` (not run: ${here.detail})`

/** What gets through outside is shown beside bubblewrap's tests. */
describe.skipIf(!here.ok)(`a container${whyNot}`, () => {
  let host: Host
  let answers: Answers = {}

  beforeAll(async () => {
    host = await openHost()
    const inside = await tryInside(PROBES, { host, backend: 'container', tier: 'root' })
    answers = inside.answers
    expect(inside.isolation).toMatchObject({ backend: 'container', seccomp: true })
  }, 60_000)
  afterAll(async () => await host.close())

  it.each(PROBES)('$id: never $says', ({ id }) => {
    expect(answers[id]).toMatch(/^held: /)
  })
})
