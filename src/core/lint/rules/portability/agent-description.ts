import type { LintEdit, LintedSkill, Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { countCharacters } from '../../agent-skill.ts'
import { getFrontMatter, locateInFrontMatter } from '../../skill-facts.ts'

const MAX_LENGTH = 1024

export const AGENT_DESCRIPTION: Rule = {
  id: 'portability/agent-description',
  severity: 'info',
  what: 'SKILL.md has no description that hosts of plain Agent Skills accept',
  why: 'They read only SKILL.md, and skip a skill without a description of 1 to 1,024 characters.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\nshort_description: Greets somebody by name.\n',
      ),
    },
    good: {},
  },
  fix: 'Copy the description of skill.toml to the front matter.',
  fixable: 'safe',
  check(skill, report) {
    const data = getFrontMatter(skill)
    if (!skill.toml || !data || !skill.profiles.includes('agent-skills')) return
    const { description } = data
    if (isValidDescription(description)) return
    report({
      ...(skill.requestedProfiles.includes('agent-skills') ? { severity: 'error' } : {}),
      ...locateInFrontMatter(skill, ['description']),
      message: `As an Agent Skill, the front matter needs a "description" of 1 to ${MAX_LENGTH} characters`,
      help: 'Add the description of skill.toml',
      edits: description === undefined ? addDescription(skill) : [],
    })
  },
}

function isValidDescription(description: unknown): boolean {
  return (
    typeof description === 'string' &&
    description.trim() !== '' &&
    countCharacters(description) <= MAX_LENGTH
  )
}

/** Inserts a first line into the block, whose "---" may end with a carriage return. */
function addDescription({ manifest, markdown }: LintedSkill): LintEdit[] {
  if (!markdown || !isValidDescription(manifest.description)) return []
  const at = markdown.text.indexOf('\n', markdown.frontMatter.span.start) + 1
  const text = `description: ${JSON.stringify(manifest.description)}\n`
  return [{ kind: 'replace', file: 'SKILL.md', span: { start: at, end: at }, text }]
}
