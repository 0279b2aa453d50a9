import type { Edit, LintedSkill, Rule } from '../../rule.ts'
import { exampleMarkdown } from '../../example-skill.ts'
import { frontMatterOf, inFrontMatter } from '../../skill-facts.ts'

export const MISSING_SHORT_DESCRIPTION: Rule = {
  id: 'docs/missing-short-description',
  severity: 'info',
  what: 'The front matter has no short_description',
  why: 'Overviews show this one line; without it they cut the description.',
  example: {
    bad: { 'SKILL.md': exampleMarkdown('name: greet\ndescription: Greets somebody by name.\n') },
    good: {},
  },
  fix: 'Add one line of at most 120 characters.',
  fixable: 'safe',
  check(skill, report) {
    const data = frontMatterOf(skill)
    if (!skill.toml || !data) return
    const told = data['short_description']
    if (typeof told === 'string' && told.trim() !== '') return
    report({
      ...inFrontMatter(skill, ['short_description']),
      message: 'The front matter has no "short_description"',
      help: 'Add one line that says what the skill does',
      edits: told === undefined ? addition(skill) : [],
    })
  },
}

/** The description itself, where it is short enough for one line. */
function addition({ manifest, markdown }: LintedSkill): Edit[] {
  const { description } = manifest
  if (!markdown || description === '' || description.length > 120) return []
  const at = markdown.text.lastIndexOf('---', markdown.frontMatter.span.end)
  const text = `short_description: ${JSON.stringify(description)}\n`
  return [{ kind: 'replace', file: 'SKILL.md', span: { start: at, end: at }, text }]
}
