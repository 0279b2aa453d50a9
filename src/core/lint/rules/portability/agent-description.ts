import type { Edit, LintedSkill, Rule } from '../../rule.ts'
import { exampleMarkdown } from '../../example-skill.ts'
import { frontMatterOf, inFrontMatter } from '../../skill-facts.ts'

const MAX = 1024

export const AGENT_DESCRIPTION: Rule = {
  id: 'portability/agent-description',
  severity: 'info',
  what: 'SKILL.md has no description that hosts of plain Agent Skills accept',
  why: 'They read only SKILL.md, and skip a skill without a description of 1 to 1,024 characters.',
  example: {
    bad: {
      'SKILL.md': exampleMarkdown('name: greet\nshort_description: Greets somebody by name.\n'),
    },
    good: {},
  },
  fix: 'Repeat the description of skill.toml in the front matter.',
  fixable: 'safe',
  check(skill, report) {
    const data = frontMatterOf(skill)
    if (!skill.toml || !data || !skill.profiles.includes('agent-skills')) return
    const { description } = data
    if (fits(description)) return
    report({
      ...inFrontMatter(skill, ['description']),
      message: `As an Agent Skill the front matter needs a "description" of 1 to ${MAX} characters`,
      help: 'Add the description of skill.toml',
      edits: description === undefined ? addition(skill) : [],
    })
  },
}

function fits(description: unknown): boolean {
  return typeof description === 'string' && description.trim() !== '' && description.length <= MAX
}

/** A first line of the block, which may begin with "---" and a carriage return. */
function addition({ manifest, markdown }: LintedSkill): Edit[] {
  if (!markdown || !fits(manifest.description)) return []
  const at = markdown.text.indexOf('\n', markdown.frontMatter.span.start) + 1
  const text = `description: ${JSON.stringify(manifest.description)}\n`
  return [{ kind: 'replace', file: 'SKILL.md', span: { start: at, end: at }, text }]
}
