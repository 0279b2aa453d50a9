// @module-tag slow
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import { writeTree } from '../../../helpers/skills.ts'
import { PROBES, RUN_CASES } from './cases.ts'
import { HOST_FACTS } from './probes/host-facts.ts'
import { openHost, type Host } from './host.ts'
import { isRoot, startRuns } from './start-worker.ts'
import { selectGuaranteed } from './subjects.ts'
import { runProbesInside, type ProbeResults } from './try-probes.ts'
import { listAttackRuns } from './try-runs.ts'
import type { RunReport } from './worker-protocol.ts'

/** Containers start slowly, so two workers share the cases. */
const WORKERS = 2

const { probe } = await new Sandboxes().openBackend('container')
const here = await probe(process.env, { engine: 'auto', image: undefined })
const tier = isRoot ? 'root' : 'user'
const whyNot = here.ok ? '' : ` (not run: ${here.detail})`

/** The bubblewrap tests show that each attack works without a sandbox. */
describe.skipIf(!here.ok)(`a probe in a container${whyNot}`, async () => {
  // Docker decides itself what it covers in /proc.
  const isCovered = here.detail.startsWith('podman')
  const probes = (await selectGuaranteed('container', PROBES)).filter(
    (each) => isCovered || !HOST_FACTS.includes(each),
  )
  let host: Host
  let answers: ProbeResults = {}

  beforeAll(async () => {
    host = await openHost()
    const inside = await runProbesInside(probes, { host, backend: 'container', tier })
    answers = inside.answers
    expect(inside.isolation).toMatchObject({ backend: 'container', seccomp: true })
  }, 60_000)
  afterAll(async () => await host.close())

  it.each(probes)('$id: never $says', ({ id }) => {
    expect(answers[id]).toMatch(/^held: /)
  })
})

describe.skipIf(!here.ok)(`a run in a container${whyNot}`, async () => {
  const cases = await selectGuaranteed('container', RUN_CASES)
  const dir = mkdtempSync('/tmp/skills-abuse-')
  let reports = new Map<string, RunReport>()

  beforeAll(async () => {
    chmodSync(dir, 0o777)
    writeTree(dir, { 'host/file.txt': 'of the host' })
    const shares = Array.from({ length: WORKERS }, (_, share) =>
      listAttackRuns(cases).filter((_each, at) => at % WORKERS === share),
    )
    const found = await Promise.all(
      shares.map(async (runs) => await startRuns(runs, { backend: 'container', tier, dir })),
    )
    reports = new Map(found.flatMap((each) => [...each]))
  }, 600_000)
  afterAll(() => rmSync(dir, { recursive: true, force: true }))

  it.each(cases)('$id: $says', ({ id, holds }) => {
    const report = reports.get(id) as RunReport
    expect(report.result?.isolation?.backend ?? 'container').toBe('container')
    holds(report, report.result?.isolation?.tier !== 'strict')
  })

  it('leaves no folder behind', () => {
    const left = readdirSync(dir)
      .flatMap((home) => readdirSync(join(dir, home)).map((name) => join(dir, home, name)))
      .filter((path) => /\/skills-runs-[^/]*$/.test(path))
      .flatMap((path) => readdirSync(path))
    expect(left).toEqual([])
  })
})
