import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createSiteProject, type SiteProject } from './published-site.ts'

vi.setConfig({ testTimeout: 180_000 })

const SUITE = `suite = "greet"

[[cases]]
name = "greets"
args = { name = "Ada" }
expect = [{ result = { path = "greeting", equals = "Hello, Ada" } }]
`
const ARCHIVE = 'skills/greet/0.1.0/greet-0.1.0.tar.gz'

async function createSigner(): Promise<SiteProject> {
  const project = createSiteProject({ 'tests/greet.test.toml': SUITE })
  await project.run('keys', 'new', 'release')
  await project.run('keys', 'trust', 'release', '--own', '--source', 'github:alice/*')
  return project
}

/** Types of the statements about an archive of the site. */
function readStatements(site: string): { predicateType: string; predicate: object }[] {
  const lines = readFileSync(join(site, `${ARCHIVE}.intoto.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map((line) => {
    const { payload } = JSON.parse(line) as { payload: string }
    return JSON.parse(Buffer.from(payload, 'base64').toString('utf8')) as ReturnType<
      typeof readStatements
    >[number]
  })
}

describe('skills publish --sign', () => {
  it('signs the release and the tests that ran, which skills verify accepts', async () => {
    const { run, site } = await createSigner()
    const argv = ['publish', './skills/greet', '--to', 'site:./public', '--sign', 'release']
    const result = await run(...argv, '--source', 'github:alice/skills')
    expect([result.code, result.stderr]).toEqual([0, expect.stringContaining('1 case passed')])
    const statements = readStatements(site)
    expect(statements).toHaveLength(3)
    expect(statements[2]).toMatchObject({
      predicateType: 'urn:skills-protocol:vet:v1',
      predicate: { verdict: 'nothing found', rules: [], files: expect.any(Number) },
    })
    expect(statements[1]?.predicate).toMatchObject({
      result: 'PASSED',
      passedTests: ['greet › greets'],
    })
    const verified = await run('verify', join(site, ARCHIVE), '--source', 'github:alice/skills')
    expect([verified.code, verified.stdout]).toEqual([
      0,
      expect.stringMatching(/vet nothing found: \d+ files read, by the account of release/),
    ])
    expect((await run(...argv)).stdout).toContain('already there')
  })

  it('states no tests with --no-tests', async () => {
    const { publish, site } = await createSigner()
    expect((await publish('--sign', 'release')).stderr).toContain('tests were skipped')
    expect(readStatements(site)).toHaveLength(2)
    expect(JSON.stringify(readStatements(site))).not.toContain('test-result')
  })

  it.each([
    [['--push', 'origin'], '--push has no effect'],
    [['--token-file', 'x'], '--token-file has no effect'],
    [['--source', 'github:alice/skills'], '--source needs --sign'],
  ])('refuses %j, which would do nothing', async (options, message) => {
    const { publish } = createSiteProject()
    const { code, stderr } = await publish(...options)
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)])
  })
})
