import type { LintEdit, LintedSkill, Rule } from '../../rule.ts'
import { findColonValues } from '../../../skills/manifest/yaml/quote-colon-values.ts'
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
    const { problem, repaired } = skill.markdown?.frontMatter ?? {}
    const found = problem ?? repaired
    if (!found || skill.markdown?.text.includes('\0')) return
    const edits = quoteValuesWithColons(skill)
    report({
      // Such a skill can be used here, as in other lenient clients.
      ...(problem ? {} : { severity: 'warning' }),
      file: 'SKILL.md',
      span: found.span,
      message: problem
        ? `Cannot parse the front matter: ${problem.message}`
        : `The front matter is not valid YAML, and is read with quotes around the value: ${found.message}`,
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
  if (!source) return []
  const { problem, repaired, span: block } = source.frontMatter
  const isColonProblem = /^Nested mappings|^Implicit keys|bad indentation|^Mapping values/i.test(
    problem?.message ?? '',
  )
  if (!repaired && !isColonProblem) return []
  return findColonValues(source.text.slice(block.start, block.end)).map(({ span, text }) => ({
    kind: 'replace',
    file: 'SKILL.md',
    span: { start: block.start + span.start, end: block.start + span.end },
    text,
  }))
}
