import type { Rule } from '../../rule.ts'
import { exampleMarkdown } from '../../example-skill.ts'
import { agentNameProblem } from '../../agent-skill.ts'
import { frontMatterOf, inFrontMatter, quote } from '../../skill-facts.ts'

export const AGENT_NAME: Rule = {
  id: 'portability/agent-name',
  severity: 'info',
  what: 'The name in SKILL.md is none that hosts of plain Agent Skills accept',
  why: 'They find a skill by its front matter: a name in lower case that equals the folder.',
  example: {
    bad: {
      'SKILL.md': exampleMarkdown(
        'name: Greet Somebody\ndescription: Greets somebody by name.\nshort_description: Greets somebody by name.\n',
      ),
    },
    good: {},
  },
  fix: "Use the folder's name; the title for people can be the first heading.",
  fixable: 'unsafe',
  check(skill, report) {
    const name = frontMatterOf(skill)?.['name']
    if (
      !skill.toml ||
      !skill.profiles.includes('agent-skills') ||
      typeof name !== 'string' ||
      name === ''
    )
      return
    const problem =
      agentNameProblem(name) ??
      (name === skill.folder ? undefined : `differs from the folder "${skill.folder}"`)
    if (!problem) return
    const place = inFrontMatter(skill, ['name'])
    const usable = agentNameProblem(skill.folder) === undefined
    report({
      ...place,
      message: `As an Agent Skill the name ${quote(name)} ${problem}`,
      help: usable
        ? `Write name: ${skill.folder}`
        : 'Rename the folder to lower-case words with hyphens',
      edits:
        usable && place.span
          ? [{ kind: 'replace', file: place.file, span: place.span, text: skill.folder }]
          : [],
      unsafe: true,
    })
  },
}
