import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  createExampleToml,
  EXAMPLE_CODE,
  EXAMPLE_SKILL,
} from '../../src/core/lint/example-skill.ts'
import { LineIndex } from '../../src/util/line-index.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

interface Region {
  startLine: number
  startColumn: number
  endLine: number
  endColumn: number
}

interface Replacement {
  deletedRegion: Region
  insertedContent: { text: string }
}

interface ArtifactChange {
  artifactLocation: { uri: string; uriBaseId: string }
  replacements: Replacement[]
}

interface Result {
  ruleId: string
  ruleIndex: number
  locations: { physicalLocation: { artifactLocation: { uri: string }; region?: Region } }[]
  partialFingerprints: Record<string, string>
  fixes?: { description: { text: string }; artifactChanges: ArtifactChange[] }[]
  suppressions?: { kind: string; status: string; justification?: string }[]
}

interface Run {
  columnKind: string
  originalUriBaseIds: object
  tool: { driver: { rules: { id: string; helpUri: string }[] } }
  results: Result[]
}

/** Findings with a safe fix, an unsafe fix, none, after an emoji, and two that are suppressed. */
const TOML = [
  '# 🎉  ',
  createExampleToml({ version: '"1.0"', tgas: '["demo"]' }),
  '[more] # skills-lint-disable-line schema/unknown-key -- agreed',
  'x = 1',
  '',
].join('\n')

async function lint(...args: string[]) {
  const cwd = createFolder({
    'skills/my greet/skill.toml': TOML,
    'skills/my greet/SKILL.md': EXAMPLE_SKILL['SKILL.md'] as string,
    'skills/my greet/code/main.py': EXAMPLE_CODE.replaceAll('\n', '\r\n'),
  })
  const done = await runSkills(['lint', '--format', 'sarif', ...args], { cwd })
  const [run] = (done.json() as unknown as { runs: [Run] }).runs
  return { cwd, run }
}

/** Applies replacements as SARIF describes them: lines and UTF-16 columns from 1, exclusive ends. */
function applyReplacements(text: string, replacements: readonly Replacement[]): string {
  const lines = new LineIndex(text)
  const offset = (line: number, column: number) => lines.getLineStart(line) + column - 1
  const ordered = [...replacements].sort(
    (a, b) =>
      offset(b.deletedRegion.startLine, b.deletedRegion.startColumn) -
      offset(a.deletedRegion.startLine, a.deletedRegion.startColumn),
  )
  let result = text
  for (const { deletedRegion: region, insertedContent } of ordered) {
    const start = offset(region.startLine, region.startColumn)
    const end = offset(region.endLine, region.endColumn)
    result = result.slice(0, start) + insertedContent.text + result.slice(end)
  }
  return result
}

describe('skills lint --format sarif', () => {
  it('has fixes whose replacements repair the file', async () => {
    const { cwd, run } = await lint('--select', 'hygiene/trailing-whitespace,hygiene/crlf')
    expect(run.columnKind).toBe('utf16CodeUnits')
    expect(run.results.map(({ ruleId }) => ruleId)).toEqual([
      'hygiene/crlf',
      'hygiene/trailing-whitespace',
    ])
    for (const { fixes, locations } of run.results) {
      const [change] = fixes?.[0]?.artifactChanges ?? []
      expect(change?.artifactLocation.uri).toBe(locations[0]?.physicalLocation.artifactLocation.uri)
      const path = decodeURIComponent(change?.artifactLocation.uri ?? '')
      const text = readFileSync(join(cwd, path), 'utf8')
      const fixed = applyReplacements(text, change?.replacements ?? [])
      expect(fixed).toBe(text.replaceAll('\r\n', '\n').replaceAll('🎉  \n', '🎉\n'))
      expect(fixed).not.toBe(text)
    }
  })

  it('counts columns in UTF-16 units', async () => {
    const { run } = await lint('--select', 'hygiene/trailing-whitespace')
    const region = run.results[0]?.locations[0]?.physicalLocation.region
    expect(region).toEqual({ startLine: 1, startColumn: 5, endLine: 1, endColumn: 7 })
  })

  it('marks findings that comments and the baseline suppress', async () => {
    const { cwd, run } = await lint('--select', 'schema')
    const listSuppressions = (each: Run) =>
      each.results.filter((result) => result.suppressions).map((result) => result.suppressions)
    expect(listSuppressions(run)).toEqual([
      [{ kind: 'inSource', status: 'accepted', justification: 'agreed' }],
    ])
    const baseline = ['lint', '--select', 'schema', '--baseline', 'b.json', '--format', 'sarif']
    await runSkills([...baseline, '--write-baseline'], { cwd })
    const again = await runSkills(baseline, { cwd })
    const [other] = (again.json() as unknown as { runs: [Run] }).runs
    const kinds = listSuppressions(other).map((each) => each?.[0]?.kind)
    expect(kinds).toEqual(['inSource', 'external', 'external'])
    expect(other.results).toHaveLength(kinds.length)
  })

  it('names an existing rule and the manual for each result, with distinct fingerprints', async () => {
    const { run } = await lint()
    const { rules } = run.tool.driver
    for (const { ruleId, ruleIndex } of run.results) {
      expect(rules[ruleIndex]?.id).toBe(ruleId)
    }
    for (const { helpUri } of rules) {
      expect(helpUri).toMatch(/^https:\/\/[^/]+\/skills-protocol@[\d.]+\/docs\/linting\.md#rules$/)
    }
    const prints = run.results.flatMap((each) => Object.values(each.partialFingerprints))
    expect(new Set(prints).size).toBe(run.results.length)
  })

  it('keeps to the names and types that SARIF 2.1.0 defines', async () => {
    const { run } = await lint()
    const uris = run.results.flatMap(({ locations }) =>
      locations.map(({ physicalLocation }) => physicalLocation.artifactLocation.uri),
    )
    expect(uris).toContain('skills/my%20greet/skill.toml')
    const allowed = new Set([
      'ruleId',
      'ruleIndex',
      'level',
      'message',
      'locations',
      'relatedLocations',
      'partialFingerprints',
      'fixes',
      'suppressions',
    ])
    for (const result of run.results) {
      expect(Object.keys(result).filter((key) => !allowed.has(key))).toEqual([])
      for (const { artifactChanges, ...rest } of result.fixes ?? []) {
        expect(Object.keys(rest)).toEqual(['description'])
        expect(artifactChanges.length).toBeGreaterThan(0)
        for (const { replacements } of artifactChanges) expect(replacements).not.toHaveLength(0)
      }
    }
  })
})
