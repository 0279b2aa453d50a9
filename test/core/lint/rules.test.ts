import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AREAS } from '../../../src/core/lint/rule.ts'
import { RULES } from '../../../src/core/lint/rules/index.ts'
import { lintExample, lintFolder, plantExample } from '../../helpers/rule-examples.ts'

describe('the list of rules', () => {
  it('has unique ids that name their files', () => {
    expect(new Set(RULES.map((rule) => rule.id)).size).toBe(RULES.length)
    for (const { id } of RULES)
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

  it('is clean over the example skill, at every severity', async () => {
    const { findings, failures } = await lintFolder(plantExample({}))
    expect(findings).toEqual([])
    expect(failures).toEqual([])
  })
})

describe.each(RULES.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  it('explains itself', () => {
    for (const text of [rule.what, rule.why, rule.fix]) expect(text.length).toBeGreaterThan(8)
    expect(rule.what.endsWith('.')).toBe(false)
  })

  it('finds its bad example and not its good one', async () => {
    const bad = await lintExample(rule, rule.example.bad)
    expect(bad.result.failures).toEqual([])
    expect(bad.result.findings.length).toBeGreaterThan(0)
    for (const finding of bad.result.findings) {
      expect(finding.rule).toBe(id)
      expect(finding.message).not.toMatch(/undefined|\[object|NaN|\.$/)
      expect(finding.help).toBeTruthy()
    }
    const good = await lintExample(rule, rule.example.good)
    expect(good.result.findings).toEqual([])
  })

  it('points only at its own problem: nothing else that is an error appears', async () => {
    const { findings } = await lintFolder(plantExample(rule.example.bad))
    const others = findings.filter((each) => each.rule !== id && each.severity === 'error')
    expect(others.map((each) => `${each.rule}: ${each.message}`)).toEqual([])
  })

  if (!rule.fixable) return
  it('is mended by its fix, which leaves comments alone', async () => {
    const comment = '# keep this comment\n'
    const root = plantExample(rule.example.bad)
    const toml = join(root, 'greet', 'skill.toml')
    const planted = existsSync(toml) && plantComment(toml, comment)
    const first = await lintFolder(root, { only: [rule], fix: { unsafe: true, preview: false } })
    expect(first.failures).toEqual([])
    const again = await lintFolder(root, { only: [rule] })
    expect(again.findings).toEqual([])
    if (planted) expect(readFileSync(toml, 'utf8')).toContain(comment.trim())
  })
})

/** A comment at the end of the file, unless the file's beginning is the problem. */
function plantComment(file: string, comment: string): boolean {
  const text = readFileSync(file, 'utf8')
  if (text.startsWith('\uFEFF')) return false
  writeFileSync(file, text + (text.endsWith('\n') ? comment : `\n${comment}`))
  return true
}
