import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROBES } from './cases.ts'
import { openHost, type Host } from './host.ts'
import { isRoot } from './start-worker.ts'
import { tryInside, tryOutside, type Answers } from './try-probes.ts'

let host: Host

beforeAll(async () => {
  host = await openHost()
})
afterAll(async () => await host.close())

const only = isRoot ? '' : ' (not run: outside, only root gets through everywhere)'

describe.skipIf(!isRoot)(`without a sandbox${only}`, () => {
  let answers: Answers
  beforeAll(async () => {
    answers = await tryOutside(PROBES, host)
  })

  it.each(PROBES)('$id: a program $says', ({ id, mayFail }) => {
    // What is held here as well would pass inside without being kept out by anything.
    expect(answers[id]).toMatch(mayFail === undefined ? /^through$/ : /^(?:through$|held: )/)
  })
})

describe.each(['root', 'user'] as const)('a run started by %s', (tier) => {
  const left = tier === 'root' && !isRoot ? ' (not run: these tests run as an ordinary user)' : ''
  let answers: Answers = {}
  beforeAll(async () => {
    if (left !== '') return
    const inside = await tryInside(PROBES, { host, backend: 'bubblewrap', tier })
    answers = inside.answers
    expect(inside.isolation).toMatchObject({ backend: 'bubblewrap', seccomp: true })
  })

  it.skipIf(left !== '').each(PROBES)(`$id: never $says${left}`, ({ id }) => {
    expect(answers[id]).toMatch(/^held: /)
  })
})
