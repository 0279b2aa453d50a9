import type { Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { inToml, quote, tomlOf } from '../../skill-facts.ts'

export const DUPLICATE_TAG: Rule = {
  id: 'schema/duplicate-tag',
  severity: 'warning',
  what: 'A tag is given twice',
  why: 'The second one has no effect.',
  example: {
    bad: { 'skill.toml': exampleToml({ tags: '["demo", "demo"]' }) },
    good: { 'skill.toml': exampleToml({ tags: '["demo"]' }) },
  },
  fix: 'Remove the second one.',
  fixable: 'safe',
  check(skill, report) {
    const tags = tomlOf(skill)?.['tags']
    if (!Array.isArray(tags)) return
    for (const [index, tag] of tags.entries()) {
      if (typeof tag !== 'string' || tags.indexOf(tag) === index) continue
      const { file, span } = inToml(skill, ['tags', index])
      const before = inToml(skill, ['tags', index - 1]).span
      report({
        file,
        span,
        message: `Tag ${quote(tag)} is given twice`,
        help: 'Remove one of them',
        edits:
          span && before
            ? [{ kind: 'replace', file, span: { start: before.end, end: span.end }, text: '' }]
            : [],
      })
    }
  },
}
