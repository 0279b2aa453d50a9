import type { LintEdit, LintedSkill, Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { getFrontMatter, locateInFrontMatter, describeType } from '../../skill-facts.ts'
import { toYamlString } from '../../yaml/yaml-string.ts'

export const ALLOWED_TOOLS: Rule = {
  id: 'portability/allowed-tools',
  severity: 'warning',
  what: 'allowed-tools is not one string with spaces between the tools',
  why: 'The Agent Skills format defines it as one string; a list is ignored or rejected.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nshort_description: Greets somebody by name.\nallowed-tools: [Read, Write]\n',
      ),
    },
    good: {},
  },
  fix: 'Write the tools in one line, such as: allowed-tools: Read Bash(git:*)',
  fixable: 'safe',
  check(skill, report) {
    const value = getFrontMatter(skill)?.['allowed-tools']
    if (value === undefined || typeof value === 'string') return
    const isTexts = Array.isArray(value) && value.every((each) => typeof each === 'string')
    const joined = isTexts ? toYamlString(joinTools(value)) : undefined
    report({
      ...locateInFrontMatter(skill, ['allowed-tools']),
      message: `allowed-tools is ${describeType(value)}, expected one string`,
      help: joined
        ? `Write allowed-tools: ${joined}`
        : 'Write the tools in one line with spaces between them',
      edits: joined ? replaceList(skill, joined) : [],
    })
  },
}

/** A tool such as Bash(git add:*) has blanks: commas then keep the borders. */
function joinTools(tools: readonly unknown[]): string {
  return tools.join(tools.some((each) => /\s/.test(String(each).trim())) ? ', ' : ' ')
}

/** Joins a list into one string; possible only for a list in brackets without comments. */
function replaceList(skill: LintedSkill, text: string): LintEdit[] {
  const { file, span } = locateInFrontMatter(skill, ['allowed-tools'])
  const written = span && skill.markdown?.text.slice(span.start, span.end)
  if (!span || !written?.startsWith('[') || written.includes('#')) return []
  return [{ kind: 'replace', file, span, text }]
}
