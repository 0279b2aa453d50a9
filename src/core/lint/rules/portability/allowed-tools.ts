import type { Edit, LintedSkill, Rule } from '../../rule.ts'
import { exampleMarkdown } from '../../example-skill.ts'
import { frontMatterOf, inFrontMatter, kindOfValue } from '../../skill-facts.ts'
import { yamlText } from '../../yaml-text.ts'

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
    const isTexts = Array.isArray(value) && value.every((each) => typeof each === 'string')
    const joined = isTexts ? yamlText(value.join(' ')) : undefined
    report({
      ...inFrontMatter(skill, ['allowed-tools']),
      message: `allowed-tools is ${kindOfValue(value)}, expected one text`,
      help: joined
        ? `Write allowed-tools: ${joined}`
        : 'Write the tools in one line with blanks between them',
      edits: joined ? joining(skill, joined) : [],
    })
  },
}

/** Only a list in brackets without comments can be put in one text in place. */
function joining(skill: LintedSkill, text: string): Edit[] {
  const { file, span } = inFrontMatter(skill, ['allowed-tools'])
  const written = span && skill.markdown?.text.slice(span.start, span.end)
  if (!span || !written?.startsWith('[') || written.includes('#')) return []
  return [{ kind: 'replace', file, span, text }]
}
