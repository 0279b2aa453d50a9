// @module-tag slow
import { describe, expect, it } from 'vitest'
import { EXAMPLE_SKILL, createExampleToml } from '../../src/core/lint/example-skill.ts'
import { createFolder, runSkills, type Tree } from '../helpers/skills.ts'

const BAD = { 'skill.toml': createExampleToml({ version: '"1.0"', tgas: '["demo"]' }) }
const LINKS = { 'SKILL.md': `${EXAMPLE_SKILL['SKILL.md']}\n[x](gone.md)\n\n[x](gone.md)\n` }

function project(changes: Tree = {}, other: Tree = {}): string {
  const files = Object.entries({ ...EXAMPLE_SKILL, ...changes })
  return createFolder({
    ...other,
    ...Object.fromEntries(files.map(([path, text]) => [`skills/greet/${path}`, text])),
  })
}

interface SarifResult {
  ruleId: string
  partialFingerprints: Record<string, string>
  suppressions?: object[]
}

interface Sarif {
  runs: { results: SarifResult[] }[]
}

function isReportedLink({ ruleId, suppressions }: SarifResult): boolean {
  return ruleId === 'docs/broken-link' && suppressions === undefined
}

async function fingerprints(cwd: string): Promise<string[]> {
  const done = await runSkills(['lint', '--format', 'sarif'], { cwd })
  const [run] = (done.json() as unknown as Sarif).runs
  const links = run?.results.filter(isReportedLink) ?? []
  return links.flatMap((each) => Object.values(each.partialFingerprints))
}

describe('fingerprints in SARIF', () => {
  it('differ for equal findings of one file and stay when lines move', async () => {
    const before = await fingerprints(project(LINKS))
    expect(before).toHaveLength(2)
    expect(new Set(before).size).toBe(2)
    const moved = { 'SKILL.md': LINKS['SKILL.md'].replace('[x]', 'More.\n\n[x]') }
    expect(await fingerprints(project(moved))).toEqual(before)
  })
})

describe('skills lint --statistics --json', () => {
  it('prints one document with a count for each rule', async () => {
    const done = await runSkills(['lint', '--statistics', '--json'], {
      cwd: project({ ...BAD, ...LINKS }),
    })
    const document = done.json()
    expect(document).toMatchObject({ schema: 'skills.lint-statistics/v1', summary: { skills: 1 } })
    expect(document['findings']).toBeUndefined()
    expect(document['rules']).toContainEqual(
      expect.objectContaining({ rule: 'docs/broken-link', count: 2 }),
    )
  })
})

describe('globs of the configuration', () => {
  const override = '[[lint.overrides]]\nfiles = ["skills/greet/**"]\nrules = { schema = "off" }\n'

  it.each([
    ['ignore', '[lint]\nignore = ["skills/greet"]\n'],
    ['overrides', override],
  ])(
    'of %s are relative to the folder of their file, from any working directory',
    async (_, config) => {
      const cwd = project(BAD, { 'skills.config.toml': config })
      for (const at of ['.', 'skills', 'skills/greet', 'skills/greet/code']) {
        const done = await runSkills(['lint', '.', '--json'], { cwd: `${cwd}/${at}` })
        expect(done.json(), at).toMatchObject({ findings: [] })
      }
    },
  )
})

describe('comments that disable rules in Markdown', () => {
  it.each([
    ['an HTML comment', '<!-- skills-lint-disable docs/broken-link -->', 0],
    ['a heading', '# skills-lint-disable docs/broken-link', 2],
  ])('%s', async (_, comment, count) => {
    const text = { 'SKILL.md': `${LINKS['SKILL.md']}\n${comment}\n` }
    expect(await fingerprints(project(text))).toHaveLength(count)
  })
})

describe('a narrow terminal', () => {
  it('wraps long lines at words; a pipe gets them unwrapped', async () => {
    const cwd = project(BAD)
    const at = { cwd, columns: 40, env: { NO_COLOR: '1' } }
    const terminal = await runSkills(['lint'], { ...at, tty: true })
    for (const each of terminal.stdout.split('\n')) expect(each.length).toBeLessThanOrEqual(40)
    expect(terminal.stdout.replace(/\s+/g, ' ')).toContain('expected a semantic version such as')
    const pipe = await runSkills(['lint'], at)
    expect(pipe.stdout).toContain('version is "1.0", expected a semantic version such as "0.1.0"')
  })
})
