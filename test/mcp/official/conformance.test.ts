// @module-tag slow
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServe } from '../../helpers/served.ts'
import { writeTree } from '../../helpers/skills.ts'
import { CANNOT_APPLY } from './cannot-apply.ts'
import { conformance, missing } from './tools.ts'
import { carried } from './skills.ts'

/** An older revision and the newest one, because their handshakes differ. */
const VERSIONS = ['2025-11-25', '2026-07-28'] as const
const SKILLS = [
  'sep-2640-skills-enumeration',
  'sep-2640-skills-manifest',
  'sep-2640-skills-directory',
] as const
const MESSAGE_CHECK = 'wire-schema-valid'

interface Check {
  id: string
  status: string
  errorMessage?: string
}

const cleanups: (() => void)[] = []
const dir = mkdtempSync(join(tmpdir(), 'skills-test-'))
let url = ''
afterAll(() => {
  for (const end of cleanups) end()
  rmSync(dir, { recursive: true, force: true })
})

/** Lists the suite's server scenarios of a revision. */
async function listScenarios(version: string): Promise<string[]> {
  const { stdout } = await conformance('list')
  const servers = stdout.slice(
    stdout.indexOf('Server scenarios'),
    stdout.indexOf('Client scenarios'),
  )
  const lines = servers.split('\n').filter((line) => line.includes('[') && line.includes(version))
  return lines.map((line) => /- (\S+)/.exec(line)?.[1] ?? '')
}

/** Reads the results of a run of the suite, by scenario. */
function readResults(folder: string): Map<string, Check[]> {
  const results = new Map<string, Check[]>()
  for (const name of readdirSync(folder)) {
    const scenario = name.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
    const text = readFileSync(join(folder, name, 'checks.json'), 'utf8')
    results.set(scenario, JSON.parse(text) as Check[])
  }
  return results
}

function listFailures(checks: readonly Check[]): Check[] {
  return checks.filter(({ status }) => status === 'FAILURE')
}

describe.skipIf(missing !== undefined && !process.env['CI'])(
  `the official conformance suite against skills serve${missing ? ` (not run: ${missing})` : ''}`,
  async () => {
    beforeAll(async () => {
      writeTree(dir, carried())
      ;({ url } = await startServe(['--root', 'skills'], { cwd: dir }, (end) => cleanups.push(end)))
    })

    it.each(SKILLS)('%s', async (scenario) => {
      const out = join(dir, scenario)
      await conformance('server', '--url', `${url}/mcp`, '--scenario', scenario, '-o', out)
      const [checks = []] = [...readResults(out).values()]
      expect(checks.length).toBeGreaterThan(1)
      // Includes warnings: the server also follows every SHOULD.
      expect(checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')).toEqual([])
    })

    for (const version of VERSIONS) {
      const scenarios = missing === undefined ? await listScenarios(version) : []
      describe(version, () => {
        let results = new Map<string, Check[]>()
        beforeAll(async () => {
          const out = join(dir, version)
          const argv = ['server', '--url', `${url}/mcp`, '--suite', 'all', '-o', out]
          await conformance(...argv, '--spec-version', version)
          results = readResults(out)
        })

        it('runs every scenario', () => {
          expect(scenarios.length).toBeGreaterThan(20)
          expect([...results.keys()].sort()).toEqual([...scenarios].sort())
        })

        it.each(scenarios)('%s', (scenario) => {
          const checks = results.get(scenario) ?? []
          const failures = listFailures(checks)
          expect(failures.filter(({ id }) => id === MESSAGE_CHECK)).toEqual([])
          const exception = CANNOT_APPLY.find((each) => each.scenario === scenario)
          if (!exception) return expect(failures).toEqual([])
          const failed = failures.map(({ id }) => id).sort()
          if (exception.checks === 'all') expect(failed).not.toEqual([])
          else expect(failed).toEqual([...exception.checks].sort())
        })
      })
    }

    it('has a reason and an existing scenario for every exception', async () => {
      const known = new Set((await Promise.all(VERSIONS.map(listScenarios))).flat())
      for (const { scenario, reason } of CANNOT_APPLY) {
        expect(known).toContain(scenario)
        expect(reason.length).toBeGreaterThan(20)
      }
    })
  },
)
