import type { LintEdit, LintedSkill, Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { describeAgentNameProblem } from '../../agent-skill.ts'
import { getFrontMatter, locateInFrontMatter, describeType, quoteValue } from '../../skill-facts.ts'
import { toYamlString } from '../../yaml/yaml-string.ts'

export const AGENT_NAME: Rule = {
  id: 'portability/agent-name',
  severity: 'info',
  what: 'The name in SKILL.md is not valid for hosts of plain Agent Skills',
  why: 'They find a skill by its front matter: a lower-case name that equals the folder name.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: Greet Somebody\ndescription: Greets somebody by name.\n',
      ),
    },
    good: {},
  },
  fix: "Use the folder's name; write the title for people as the first heading.",
  fixable: 'unsafe',
  check(skill, report) {
    const data = getFrontMatter(skill)
    if (!skill.toml || !data || !skill.profiles.includes('agent-skills')) return
    const problem = describeNameProblem(skill, data['name'])
    if (!problem) return
    const usable = describeAgentNameProblem(skill.folder) === undefined
    report({
      ...(isOtherName(skill, data['name']) ? { severity: 'warning' } : {}),
      ...(skill.requestedProfiles.includes('agent-skills') ? { severity: 'error' } : {}),
      ...locateInFrontMatter(skill, ['name']),
      message: `As an Agent Skill, ${problem}`,
      help: usable
        ? `Write name: ${toYamlString(skill.folder)}`
        : 'Rename the folder to lower-case words with hyphens',
      edits: usable ? replaceName(skill, data['name'] === undefined) : [],
      unsafe: true,
    })
  },
}

/** True for the name of another skill: neither the folder nor the manifest has it. */
function isOtherName({ manifest, folder }: LintedSkill, name: unknown): boolean {
  if (typeof name !== 'string' || describeAgentNameProblem(name) !== undefined) return false
  return ![
    folder,
    manifest.name,
    manifest.name.split('.').at(-1),
    manifest.name.replaceAll('.', '-'),
  ].includes(name)
}

function describeNameProblem(skill: LintedSkill, name: unknown): string | undefined {
  if (name === undefined) return 'the front matter needs a "name", expected the name of the folder'
  if (typeof name !== 'string' || name.trim() === '') {
    const got = typeof name === 'string' ? 'empty' : describeType(name as never)
    return `the name is ${got}, expected the name of the folder as a string`
  }
  const problem = describeAgentNameProblem(name)
  if (problem) return `the name ${quoteValue(name)} ${problem}`
  if (name.normalize('NFKC') === skill.folder.normalize('NFKC')) return undefined
  return `the name ${quoteValue(name)} differs from the folder ${quoteValue(skill.folder)}, expected them to be equal`
}

function replaceName(skill: LintedSkill, isMissing: boolean): LintEdit[] {
  const { markdown } = skill
  if (!markdown) return []
  if (!isMissing) {
    const { file, span } = locateInFrontMatter(skill, ['name'])
    return span ? [{ kind: 'replace', file, span, text: toYamlString(skill.folder) }] : []
  }
  const at = markdown.text.indexOf('\n', markdown.frontMatter.span.start) + 1
  const text = `name: ${toYamlString(skill.folder)}\n`
  return [{ kind: 'replace', file: 'SKILL.md', span: { start: at, end: at }, text }]
}
