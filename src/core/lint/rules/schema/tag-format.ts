import type { Rule } from '../../rule.ts'
import { exampleToml } from '../../example-skill.ts'
import { inToml, quote, replaceToml, tomlOf, tomlText } from '../../skill-facts.ts'

export const TAG_FORMAT: Rule = {
  id: 'schema/tag-format',
  severity: 'warning',
  what: 'A tag has capitals, blanks or other unusual characters',
  why: 'Tags are compared letter by letter; "CRM" and "crm" do not find each other.',
  example: {
    bad: { 'skill.toml': exampleToml({ tags: '["Demo Skill"]' }) },
    good: { 'skill.toml': exampleToml({ tags: '["demo-skill"]' }) },
  },
  fix: 'Write tags in lower case with "-" between words.',
  fixable: 'safe',
  check(skill, report) {
    const tags = tomlOf(skill)?.['tags']
    if (!Array.isArray(tags)) return
    for (const [index, tag] of tags.entries()) {
      if (
        typeof tag !== 'string' ||
        /^[\p{Ll}\p{Lo}\p{N}][\p{Ll}\p{Lo}\p{N}._+-]{0,49}$/u.test(tag)
      )
        continue
      const repaired = tag
        .trim()
        .toLowerCase()
        .replace(/[\s/]+/g, '-')
        .replace(/[^\p{Ll}\p{Lo}\p{N}._+-]/gu, '')
        .slice(0, 50)
      report({
        ...inToml(skill, ['tags', index]),
        message: `Tag ${quote(tag)} ${problemOf(tag)}`,
        help: repaired ? `Write "${repaired}"` : 'Remove the tag',
        edits: repaired ? replaceToml(skill, ['tags', index], tomlText(repaired)) : [],
      })
    }
  },
}

function problemOf(tag: string): string {
  if (tag.trim() === '') return 'is empty, expected a word'
  if (tag.length > 50) return `has ${tag.length} characters, expected at most 50`
  return 'has capitals, blanks or signs, expected lower case with "-" between words'
}
