import type { LintEdit, LintedSkill, Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { locateInToml, quoteValue, getToml } from '../../skill-facts.ts'

export const DUPLICATE_TAG: Rule = {
  id: 'schema/duplicate-tag',
  severity: 'warning',
  what: 'A tag is repeated',
  why: 'A repeated tag has no effect.',
  example: {
    bad: { 'skill.toml': createExampleToml({ tags: '["demo", "demo"]' }) },
    good: { 'skill.toml': createExampleToml({ tags: '["demo"]' }) },
  },
  fix: 'Remove the repeated tag.',
  fixable: 'safe',
  check(skill, report) {
    const tags = getToml(skill)?.['tags']
    if (!Array.isArray(tags)) return
    const seen = new Set<string>()
    for (const [index, tag] of tags.entries()) {
      if (typeof tag !== 'string') continue
      if (!seen.has(tag)) {
        seen.add(tag)
        continue
      }
      report({
        ...locateInToml(skill, ['tags', index]),
        message: `Tag ${quoteValue(tag)} is repeated`,
        help: 'Remove one of them',
        edits: removeTag(skill, index),
      })
    }
  },
}

/** Removes the tag and one adjacent comma; other text between tags may be a comment. */
function removeTag(skill: LintedSkill, index: number): LintEdit[] {
  const { file, span } = locateInToml(skill, ['tags', index])
  const before = locateInToml(skill, ['tags', index - 1]).span
  const text = skill.toml?.text ?? ''
  if (!span || !before) return []
  const between = text.slice(before.end, span.start)
  const isPlain = /^[ \t]*,[ \t]*$/.test(between)
  const comma = /^[ \t]*,/.exec(text.slice(span.end, span.end + 100))?.[0].length ?? 0
  const cut = isPlain
    ? { start: before.end, end: span.end }
    : { start: span.start, end: span.end + comma }
  return [{ kind: 'replace', file, span: cut, text: '' }]
}
