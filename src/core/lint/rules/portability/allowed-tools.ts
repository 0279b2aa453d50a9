import type { Rule } from '../../rule.ts'
import { exampleMarkdown } from '../../example-skill.ts'
import { frontMatterOf, inFrontMatter, kindOfValue } from '../../skill-facts.ts'

export const ALLOWED_TOOLS: Rule = {
  id: 'portability/allowed-tools',
  severity: 'warning',
  what: 'allowed-tools is not one text with blanks between the tools',
  why: 'The Agent Skills format knows it as one text; a list is ignored or rejected.',
  example: {
    bad: {
      'SKILL.md': exampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nshort_description: Greets somebody by name.\nallowed-tools: [Read, Write]\n',
      ),
    },
    good: {},
  },
  fix: 'Write the tools in one line, such as: allowed-tools: Read Bash(git:*)',
  fixable: 'safe',
  check(skill, report) {
    const value = frontMatterOf(skill)?.['allowed-tools']
    if (value === undefined || typeof value === 'string') return
    const place = inFrontMatter(skill, ['allowed-tools'])
    const joined =
      Array.isArray(value) && value.every((each) => typeof each === 'string')
        ? value.join(' ')
        : undefined
    const isFlow = place.span && skill.markdown?.text[place.span.start] === '['
    report({
      ...place,
      message: `allowed-tools is ${kindOfValue(value)}, expected one text`,
      help: joined
        ? `Write allowed-tools: ${joined}`
        : 'Write the tools in one line with blanks between them',
      edits:
        joined && isFlow && place.span
          ? [{ kind: 'replace', file: 'SKILL.md', span: place.span, text: joined }]
          : [],
    })
  },
}
