import type { Edit, LintedSkill, Rule } from '../../rule.ts'
import { exampleMarkdown } from '../../example-skill.ts'
import { agentNameProblem } from '../../agent-skill.ts'
import { frontMatterOf, inFrontMatter, kindOfValue, quote } from '../../skill-facts.ts'
import { yamlText } from '../../yaml-text.ts'

export const AGENT_NAME: Rule = {
  id: 'portability/agent-name',
  severity: 'info',
  what: 'The name in SKILL.md is none that hosts of plain Agent Skills accept',
  why: 'They find a skill by its front matter: a name in lower case that equals the folder.',
  example: {
    bad: {
      'SKILL.md': exampleMarkdown('name: Greet Somebody\ndescription: Greets somebody by name.\n'),
    },
    good: {},
  },
  fix: "Use the folder's name; the title for people can be the first heading.",
  fixable: 'unsafe',
  check(skill, report) {
    const data = frontMatterOf(skill)
    if (!skill.toml || !data || !skill.profiles.includes('agent-skills')) return
    const problem = problemOf(skill, data['name'])
    if (!problem) return
    const usable = agentNameProblem(skill.folder) === undefined
    report({
      ...inFrontMatter(skill, ['name']),
      message: `As an Agent Skill ${problem}`,
      help: usable
        ? `Write name: ${yamlText(skill.folder)}`
        : 'Rename the folder to lower-case words with hyphens',
      edits: usable ? renaming(skill, data['name'] === undefined) : [],
      unsafe: true,
    })
  },
}

function problemOf(skill: LintedSkill, name: unknown): string | undefined {
  if (name === undefined) return 'the front matter needs a "name", expected the name of the folder'
  if (typeof name !== 'string' || name.trim() === '') {
    const got = typeof name === 'string' ? 'empty' : kindOfValue(name as never)
    return `the name is ${got}, expected the name of the folder as a text`
  }
  const problem = agentNameProblem(name)
  if (problem) return `the name ${quote(name)} ${problem}`
  if (name.normalize('NFKC') === skill.folder.normalize('NFKC')) return undefined
  return `the name ${quote(name)} differs from the folder ${quote(skill.folder)}, expected them to be equal`
}

function renaming(skill: LintedSkill, isMissing: boolean): Edit[] {
  const { markdown } = skill
  if (!markdown) return []
  if (!isMissing) {
    const { file, span } = inFrontMatter(skill, ['name'])
    return span ? [{ kind: 'replace', file, span, text: yamlText(skill.folder) }] : []
  }
  const at = markdown.text.indexOf('\n', markdown.frontMatter.span.start) + 1
  const text = `name: ${yamlText(skill.folder)}\n`
  return [{ kind: 'replace', file: 'SKILL.md', span: { start: at, end: at }, text }]
}
