import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { locateInFrontMatter } from '../../skill-facts.ts'

export const SHORT_DESCRIPTION_LENGTH: Rule = {
  id: 'docs/short-description-length',
  severity: 'warning',
  what: 'short_description is longer than 200 characters or has several lines',
  why: 'It is meant for lists with one line per skill.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        `name: greet\ndescription: Greets somebody by name.\nshort_description: ${'Greets somebody. '.repeat(15)}\n`,
      ),
    },
    good: {},
  },
  fix: 'Shorten it to one sentence.',
  check(skill, report) {
    const short = skill.manifest.shortDescription
    if (short === undefined || (short.length <= 200 && !short.trim().includes('\n'))) return
    report({
      ...locateInFrontMatter(skill, ['short_description']),
      message: `short_description has ${short.length} characters, expected one line of at most 200`,
      help: 'Shorten it to one sentence',
    })
  },
}
