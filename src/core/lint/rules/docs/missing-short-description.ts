import type { Rule } from '../../rule.ts'
import { createExampleMarkdown, createExampleToml } from '../../example-skill.ts'
import { getFrontMatter, locateInFrontMatter } from '../../skill-facts.ts'

const LONG_LENGTH = 200

export const MISSING_SHORT_DESCRIPTION: Rule = {
  id: 'docs/missing-short-description',
  severity: 'info',
  what: `The description is longer than ${LONG_LENGTH} characters and there is no short_description`,
  why: 'Overviews show one line per skill; without a short description they truncate the long one.',
  example: {
    bad: {
      'skill.toml': createExampleToml({ description: `"Greets. ${'And says more. '.repeat(15)}"` }),
    },
    good: {
      'skill.toml': createExampleToml({ description: `"Greets. ${'And says more. '.repeat(15)}"` }),
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nshort_description: Greets.\n',
      ),
    },
  },
  fix: 'Add short_description to the front matter: one line that describes what the skill does.',
  check(skill, report) {
    const data = getFrontMatter(skill)
    if (!skill.toml || !data || skill.manifest.description.length <= LONG_LENGTH) return
    const short = data['short_description']
    if (typeof short === 'string' && short.trim() !== '') return
    report({
      ...locateInFrontMatter(skill, ['short_description']),
      message: `The description has ${skill.manifest.description.length} characters and there is no "short_description"`,
      help: 'Add one line that describes what the skill does',
    })
  },
}
