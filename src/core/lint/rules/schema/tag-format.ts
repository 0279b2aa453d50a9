import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import {
  locateInToml,
  quoteValue,
  replaceTomlValue,
  getToml,
  toTomlString,
} from '../../skill-facts.ts'

export const TAG_FORMAT: Rule = {
  id: 'schema/tag-format',
  severity: 'warning',
  what: 'A tag has upper-case letters, spaces or other special characters',
  why: 'Tags are compared exactly: "CRM" and "crm" are different tags.',
  example: {
    bad: { 'skill.toml': createExampleToml({ tags: '["Demo Skill"]' }) },
    good: { 'skill.toml': createExampleToml({ tags: '["demo-skill"]' }) },
  },
  fix: 'Write tags in lower case with "-" between words.',
  fixable: 'safe',
  check(skill, report) {
    const tags = getToml(skill)?.['tags']
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
        ...locateInToml(skill, ['tags', index]),
        message: `Tag ${quoteValue(tag)} ${describeTagProblem(tag)}`,
        help: repaired ? `Write "${repaired}"` : 'Remove the tag',
        edits: repaired ? replaceTomlValue(skill, ['tags', index], toTomlString(repaired)) : [],
      })
    }
  },
}

function describeTagProblem(tag: string): string {
  if (tag.trim() === '') return 'is empty, expected a word'
  if (tag.length > 50) return `has ${tag.length} characters, expected at most 50`
  return 'has upper-case letters, spaces or special characters, expected lower case with "-" between words'
}
