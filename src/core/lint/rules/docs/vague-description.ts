import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { locateInFrontMatter, locateInToml } from '../../skill-facts.ts'

export const VAGUE_DESCRIPTION: Rule = {
  id: 'docs/vague-description',
  severity: 'warning',
  what: 'The description has fewer than three words',
  why: 'A model chooses among many skills by their descriptions; one or two words match everything.',
  example: { bad: { 'skill.toml': createExampleToml({ description: '"Greeter"' }) }, good: {} },
  fix: 'Describe what the skill does, to what, and when to use it.',
  check(skill, report) {
    const { description } = skill.manifest
    const words = description.trim().split(/\s+/)
    if (description.trim() === '' || words.length >= 3 || hasManyLetters(description)) return
    report({
      ...(skill.toml
        ? locateInToml(skill, ['description'])
        : locateInFrontMatter(skill, ['description'])),
      message: `The description has ${words.length === 1 ? '1 word' : `${words.length} words`}, expected a sentence`,
      help: 'Describe what the skill does and when to use it',
    })
  },
}

/** Scripts without spaces between words, such as Chinese, have no capital letters. */
function hasManyLetters(text: string): boolean {
  return (text.match(/\p{Lo}/gu) ?? []).length >= 6
}
