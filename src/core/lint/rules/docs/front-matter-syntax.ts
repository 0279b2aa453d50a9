import type { LintEdit, LintedSkill, Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'

export const FRONT_MATTER_SYNTAX: Rule = {
  id: 'docs/front-matter-syntax',
  severity: 'error',
  what: 'The front matter of SKILL.md cannot be parsed',
  why: 'Hosts skip the skill, or show it without a name and description.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Note: greets somebody.\nshort_description: Greets.\n',
      ),
    },
    good: {},
  },
  fix: 'Correct the YAML. A value that contains ": " needs quotes, which --fix adds.',
  fixable: 'safe',
  check(skill, report) {
    const problem = skill.markdown?.frontMatter.problem
    if (!problem || skill.markdown?.text.includes('\0')) return
    const edits = quoteValuesWithColons(skill)
    report({
      file: 'SKILL.md',
      span: problem.span,
      message: `Cannot parse the front matter: ${problem.message}`,
      help:
        edits.length > 0
          ? 'Put the value in quotes'
          : 'Write one "key: value" per line, between two lines "---"',
      edits,
    })
  },
}

/** Quotes values that contain a second colon, the most frequent mistake. */
function quoteValuesWithColons(skill: LintedSkill): LintEdit[] {
  const source = skill.markdown
  if (
    !source ||
    !/^Nested mappings|^Implicit keys|bad indentation|^Mapping values/i.test(
      source.frontMatter.problem?.message ?? '',
    )
  )
    return []
  const { start, end } = source.frontMatter.span
  const edits: LintEdit[] = []
  for (const match of source.text
    .slice(start, end)
    .matchAll(/^([A-Za-z_][\w-]*:[ \t]+)([^"'[{|>&*!#\s][^\n]*:[ \t][^\n]*)$/gm)) {
    const from = start + match.index + (match[1] as string).length
    const value = (match[2] as string).trimEnd()
    edits.push({
      kind: 'replace',
      file: 'SKILL.md',
      span: { start: from, end: from + value.length },
      text: JSON.stringify(value),
    })
  }
  return edits
}
