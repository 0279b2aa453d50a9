// @module-tag slow
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import { findGaps, IS_FULL, selectAttacks, type Matrix } from '../../../helpers/matrix.ts'
import { writeTree } from '../../../helpers/skills.ts'
import { PROBES, RUN_CASES } from './cases.ts'
import { HOST_FACTS } from './probes/host-facts.ts'
import { openHost, type Host } from './host.ts'
import { isRoot, startRuns } from './start-worker.ts'
import { selectGuaranteed } from './subjects.ts'
import { runProbesInside, type ProbeResults } from './try-probes.ts'
import { listAttackRuns } from './try-runs.ts'
import type { RunReport } from './worker-protocol.ts'

/** A run in gVisor takes seconds to start. The limits stay below the minute that delaying cases wait. */
const TIME_FACTOR = 1.8

const { probe } = await new Sandboxes().openBackend('container')
const tier = isRoot ? 'root' : 'user'
const containers = await Promise.all(
  [
    { title: 'a container', runtime: 'default' } as const,
    // Each run in gVisor takes seconds to start: the full matrix has them.
    ...(IS_FULL ? [{ title: 'a container in gVisor', runtime: 'runsc' } as const] : []),
  ].map(async ({ title, runtime }) => {
    const here = await probe(process.env, { engine: 'auto', runtime, image: undefined })
    const whyNot = here.ok ? '' : ` (not run: ${here.detail})`
    const settings = { 'run.container.runtime': runtime }
    return { title: title + whyNot, runtime, here, settings }
  }),
)

const OWN_FACTS = 'it shows facts of gVisor, which are the same on every machine'
const OWN_RESOURCE = 'it is a resource of gVisor, in the memory of the run'
const NO_EFFECT = 'gVisor accepts it without any effect on the host'
const VISIBLE = 'gVisor shows it to other users; see gvisor.test.ts for what it keeps closed'

/** Cases that differ in gVisor, with the reason. */
const NOT_IN_GVISOR: Readonly<Record<string, string>> = {
  'F1.sys': OWN_FACTS,
  'F7.init-fd': VISIBLE,
  'F16.disk': 'the device can be created in memory, but never opened; see gvisor.test.ts',
  'F16.more': 'it has devices of its own',
  'N8.spoof': NO_EFFECT,
  'N8.mark': NO_EFFECT,
  'P7.environment': VISIBLE,
  'P7.maps': VISIBLE,
  'P7.auxiliary': VISIBLE,
  'P7.namespaces': VISIBLE,
  'P10.last': NO_EFFECT,
  'P10.nice': NO_EFFECT,
  'P14.capability': 'it shows no ambient set; see gvisor.test.ts',
  'P16.i386': 'it takes the number as one of x86-64, which the filter checks; see gvisor.test.ts',
  'P22.huge': 'it gives ordinary pages',
  'P24.timers': OWN_RESOURCE,
  'P24.queues': OWN_RESOURCE,
  'P25.groups': OWN_FACTS,
  'I1.command': OWN_FACTS,
  'R4.inodes': 'its file systems count no files; their memory is that of the run',
  'P3.orphans': 'it takes minutes to start 600 processes',
  'P7.rights': 'its first process has the capabilities of a supervisor; see gvisor.test.ts',
  'P7.all': VISIBLE,
  'C5.parent': 'a run cannot signal its first process; see gvisor.test.ts',
  'H6.deep': 'a kept workspace is on disk, where such a depth ends the run',
}

/** Areas of cases whose guard is on the host, where gVisor changes nothing: frames, values, redaction. */
const GUARDED_BY_HOST = /^(?:R11|C2|C8|C9|C10|C11|C13|C15|C18|L1|L2|S5)\./
const OF_HOST = 'its guard is on the host, and it runs in the other container'

/** Cases that do not run in gVisor, with the reason. */
function listSkipped(cases: readonly { id: string }[]): [id: string, reason: string][] {
  const ofHost = cases.filter(({ id }) => GUARDED_BY_HOST.test(id))
  return [
    ...Object.entries(NOT_IN_GVISOR),
    ...ofHost.map(({ id }) => [id, OF_HOST] as [string, string]),
  ]
}

/** The bubblewrap tests show that each attack works without a sandbox. */
describe.each(containers)('a probe in $title', async ({ here, runtime, settings }) => {
  // Docker decides itself what it covers in /proc.
  const isCovered = here.detail.startsWith('podman')
  const probes = (await selectGuaranteed('container', PROBES)).filter(
    (each) =>
      (isCovered || !HOST_FACTS.includes(each)) &&
      (runtime === 'default' || !(each.id in NOT_IN_GVISOR)),
  )
  let host: Host
  let answers: ProbeResults = {}

  beforeAll(async () => {
    host = await openHost()
    if (!here.ok) return
    const inside = await runProbesInside(probes, { host, backend: 'container', tier, settings })
    answers = inside.answers
    expect(inside.isolation).toMatchObject({ backend: 'container', seccomp: true })
  }, 900_000)
  afterAll(async () => await host.close())

  it.skipIf(!here.ok).each(probes)('$id: never $says', ({ id }) => {
    expect(answers[id]).toMatch(/^held: /)
  })
})

const runs = await selectGuaranteed('container', RUN_CASES)
const notInGvisor = listSkipped(runs)
const matrix: Matrix<(typeof runs)[number], (typeof containers)[number]> = {
  attacks: runs,
  subjects: containers.filter(({ here }) => here.ok),
  name: ({ id }) => id,
  describe: () => ({ backend: 'container' }),
  applies: ({ id }, { runtime }) =>
    runtime === 'default' || notInGvisor.every(([other]) => other !== id),
}
const selected = selectAttacks(matrix)

it('each attack is tried in a container, and some in each kind of container', () => {
  expect(findGaps(matrix, selected)).toEqual([])
})

describe.each(containers)('a run in $title', (container) => {
  const { here, runtime, settings } = container
  const skipped = runtime === 'default' ? [] : notInGvisor
  const cases = selected.get(container) ?? []
  const dir = mkdtempSync('/tmp/skills-abuse-')
  let reports = new Map<string, RunReport>()

  beforeAll(async () => {
    if (!here.ok) return
    chmodSync(dir, 0o777)
    writeTree(dir, { 'host/file.txt': 'of the host' })
    reports = await startRuns(listAttackRuns(cases), {
      backend: 'container',
      tier,
      dir,
      settings,
      width: 3,
      timeFactor: TIME_FACTOR,
    })
  }, 900_000)
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  it.skipIf(!here.ok).each(cases)('$id: $says', ({ id, holds }) => {
    const report = reports.get(id) as RunReport
    expect(report.result?.isolation?.backend ?? 'container').toBe('container')
    holds(report, report.result?.isolation?.tier !== 'strict')
  })

  it.skip.each(skipped)('%s (not run: %s)', () => {})

  it.skipIf(!here.ok)('leaves no folder behind', () => {
    const left = readdirSync(dir)
      .flatMap((home) => readdirSync(join(dir, home)).map((name) => join(dir, home, name)))
      .filter((path) => /\/skills-runs-[^/]*$/.test(path))
      .flatMap((path) => readdirSync(path))
    expect(left).toEqual([])
  })
})
