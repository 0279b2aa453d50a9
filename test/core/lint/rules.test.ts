import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AREAS, type Rule } from '../../../src/core/lint/rule.ts'
import { RULES } from '../../../src/core/lint/rules/index.ts'
import { findSkillsBelow } from '../../../src/core/lint/targets.ts'
import { lintFolder, writeExample } from '../../helpers/rule-examples.ts'
import { once } from '../../../src/util/once.ts'
import { createFolder } from '../../helpers/skills.ts'

describe('the list of rules', () => {
  it('has unique ids that name their files', () => {
    expect(new Set(RULES.map((rule) => rule.id)).size).toBe(RULES.length)
    // Those of the area `safety` are rows of one table.
    for (const { id } of RULES.filter((rule) => !rule.id.startsWith('safety/')))
      expect(existsSync(join('src/core/lint/rules', `${id}.ts`)), id).toBe(true)
  })

  it('has at least sixty, in every area', () => {
    expect(RULES.length).toBeGreaterThanOrEqual(60)
    for (const area of AREAS)
      expect(
        RULES.some((rule) => rule.id.startsWith(`${area}/`)),
        area,
      ).toBe(true)
  })

  it('finds nothing in the example skill, at every severity', async () => {
    const { findings, failures } = await lintFolder(writeExample({}))
    expect(findings).toEqual([])
    expect(failures).toEqual([])
  })
})

/** Hosts whose profiles the examples of rules about hosts request. */
const HOSTS = ['claude-code', 'codex'] as const

/** This rule compares skills with each other, so its examples are checked by themselves. */
const COMPARES_SKILLS = 'naming/duplicate-skill'

/** Findings of all examples, from one lint: one per rule would start Python hundreds of times. */
const lintAllExamples = once(lintExamples)

async function lintExamples() {
  const planted = RULES.map(({ id, example }) => ({
    id,
    bad: writeExample(example.bad),
    good: writeExample(example.good),
  }))
  const roots = planted.flatMap(({ bad, good }) => [bad, good])
  const skills = roots.flatMap((root) => findSkillsBelow(root).toSorted())
  const { findings, failures } = await lintFolder(createFolder(), {
    roots,
    skills,
    rules: { [COMPARES_SKILLS]: 'off' },
  })
  const below = (root: string) => findings.filter(({ skill }) => skill.startsWith(`${root}/`))
  const byRule = planted.map(
    ({ id, bad, good }) => [id, { bad: below(bad), good: below(good) }] as const,
  )
  return { failures, byRule: new Map(byRule) }
}

async function lintRuleExamples({ id, example }: Rule) {
  const requestedProfiles = id.startsWith('portability/host-') ? HOSTS : []
  if (id !== COMPARES_SKILLS && requestedProfiles.length === 0)
    return (await lintAllExamples()).byRule.get(id)!
  const bad = await lintFolder(writeExample(example.bad), { requestedProfiles })
  const good = await lintFolder(writeExample(example.good), { requestedProfiles })
  return { bad: bad.findings, good: good.findings }
}

it('checks every example without a failure', async () => {
  expect((await lintAllExamples()).failures).toEqual([])
})

describe.each(RULES.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  it('has an explanation', () => {
    for (const text of [rule.what, rule.why, rule.fix]) expect(text.length).toBeGreaterThan(8)
    expect(rule.what.endsWith('.')).toBe(false)
  })

  it('reports its bad example and not its good one', async () => {
    const { bad, good } = await lintRuleExamples(rule)
    const found = bad.filter((finding) => finding.rule === id)
    expect(found.length).toBeGreaterThan(0)
    for (const finding of found) {
      expect(finding.message).not.toMatch(/undefined|\[object|NaN|\.$/)
      expect(finding.help).toBeTruthy()
    }
    expect(good.filter((finding) => finding.rule === id)).toEqual([])
  })

  it('has a bad example without errors of other rules', async () => {
    const { bad } = await lintRuleExamples(rule)
    const others = bad.filter((each) => each.rule !== id && each.severity === 'error')
    expect(others.map((each) => `${each.rule}: ${each.message}`)).toEqual([])
  })

  if (!rule.fixable) return
  it('is fixed by its fix, which keeps comments', async () => {
    const comment = '# keep this comment\n'
    const root = writeExample(rule.example.bad)
    const toml = join(root, 'greet', 'skill.toml')
    const planted = existsSync(toml) && plantComment(toml, comment)
    const first = await lintFolder(root, { only: [rule], fix: { unsafe: true, preview: false } })
    expect(first.failures).toEqual([])
    const again = await lintFolder(root, { only: [rule] })
    expect(again.findings).toEqual([])
    if (planted) expect(readFileSync(toml, 'utf8')).toContain(comment.trim())
  })
})

/** Appends a comment to the file, unless the beginning of the file is the problem. */
function plantComment(file: string, comment: string): boolean {
  const text = readFileSync(file, 'utf8')
  if (text.startsWith('\uFEFF')) return false
  writeFileSync(file, text + (text.endsWith('\n') ? comment : `\n${comment}`))
  return true
}
