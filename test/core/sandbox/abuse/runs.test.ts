// @module-tag slow
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findGaps, selectAttacks } from '../../../helpers/matrix.ts'
import { writeTree } from '../../../helpers/skills.ts'
import { RUN_CASES } from './cases.ts'
import { isRoot, startRuns } from './start-worker.ts'
import { createMatrix, SUBJECTS } from './subjects.ts'
import { listAttackRuns, listControlRuns, verifyControl } from './try-runs.ts'
import type { RunReport } from './worker-protocol.ts'

const dir = mkdtempSync('/tmp/skills-abuse-')
/** Of all runs of a subject, on a busy machine. */
const PATIENCE_MS = 1_800_000
type Reports = ReadonlyMap<string, RunReport>

beforeAll(() => {
  chmodSync(dir, 0o777)
  writeTree(dir, { 'host/file.txt': 'of the host' })
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

describe('without its guard', { tags: ['nightly'] }, () => {
  let reports: Reports
  beforeAll(async () => {
    const tier = isRoot ? 'root' : 'user'
    reports = await startRuns(listControlRuns(RUN_CASES), { backend: 'bubblewrap', tier, dir })
  }, PATIENCE_MS)

  it.each(RUN_CASES)('$id is an attack', async (each) => {
    await verifyControl(each, reports)
  })
})

const matrix = await createMatrix(RUN_CASES)
const selected = selectAttacks(matrix)

it('each attack is tried on each backend, as each user and by each path', () => {
  expect(findGaps(matrix, selected)).toEqual([])
})

for (const subject of SUBJECTS) {
  const { backend, tier, path, left } = subject
  const cases = selected.get(subject) ?? []
  describe.skipIf(left !== '')(`a ${path} run by ${backend} for ${tier}${left}`, () => {
    let reports: Reports
    beforeAll(async () => {
      reports = await startRuns(listAttackRuns(cases), { backend, tier, dir, path })
    }, PATIENCE_MS)

    it.each(cases)('$id: $says', ({ id, holds }) => {
      const report = reports.get(id) as RunReport
      holds(report, report.result?.isolation?.tier !== 'strict')
      const applied = report.result?.isolation
      // Runs took the path under test, except for those that only the other path supports.
      if (applied?.network === 'none') expect(applied.path).toBe(path)
    })

    it('leaves no process and no folder behind', () => {
      expect(listProcessesWith(dir)).toEqual([])
      const homes = readdirSync(dir).filter((name) => name.startsWith(`${tier}-`))
      expect(homes.flatMap((home) => listRunFolders(join(dir, home)))).toEqual([])
    })
  })
}

function listRunFolders(home: string): string[] {
  return readdirSync(home)
    .filter((name) => name.startsWith('skills-runs'))
    .flatMap((name) => readdirSync(join(home, name)))
}

/** Lists processes with a test folder in their mounts or in argv. */
function listProcessesWith(folder: string): string[] {
  const mark = folder.slice('/tmp/'.length)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      ['mountinfo', 'cmdline'].some((file) => read(`/proc/${pid}/${file}`).includes(mark)),
    )
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
