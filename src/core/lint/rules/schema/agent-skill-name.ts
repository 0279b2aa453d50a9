import type { Rule } from '../../rule.ts'
import { exampleMarkdown } from '../../example-skill.ts'
import { frontMatterOf, inFrontMatter, isRefused, kindOfValue, quote } from '../../skill-facts.ts'
import { agentNameProblem } from '../../agent-skill.ts'
import { yamlText } from '../../yaml-text.ts'

/** The format allows the letters of all languages, this runtime does not. */
const NOT_ASCII = 'has other letters than a-z, expected a-z, 0-9 and -'

const INSTRUCTION = { 'skill.toml': null, 'code/main.py': null }

export const AGENT_SKILL_NAME: Rule = {
  id: 'schema/agent-skill-name',
  severity: 'error',
  what: 'A skill without skill.toml has no valid name in its front matter',
  why: 'The front matter is all that identifies such a skill.',
  example: {
    bad: {
      ...INSTRUCTION,
      'SKILL.md': exampleMarkdown('name: Greet Me\ndescription: Greets somebody by name.\n'),
    },
    good: {
      ...INSTRUCTION,
      'SKILL.md': exampleMarkdown('name: greet\ndescription: Greets somebody by name.\n'),
    },
  },
  fix: 'Write a name of lower-case letters, digits and hyphens that equals the folder.',
  check(skill, report) {
    const data = frontMatterOf(skill)
    if (skill.toml || !data) return
    const { name } = data
    if (typeof name !== 'string' || name.trim() === '') {
      report({
        ...inFrontMatter(skill, ['name']),
        message: `"name" in the front matter is ${name === '' ? 'empty' : kindOfValue(name)}, expected a text`,
        help: `Write name: ${yamlText(skill.folder)}`,
      })
      return
    }
    const notAscii = isRefused(skill, 'SKILL.md', ['name']) ? NOT_ASCII : undefined
    const problem = agentNameProblem(name) ?? notAscii
    if (problem)
      report({
        ...inFrontMatter(skill, ['name']),
        message: `The name ${quote(name)} ${problem}`,
        help: 'Write lower-case words with single hyphens between them',
      })
    else if (name.normalize('NFKC') !== skill.folder.normalize('NFKC')) {
      report({
        ...inFrontMatter(skill, ['name']),
        message: `The name ${quote(name)} differs from the folder "${skill.folder}", expected them to be equal`,
        help: `Rename the folder to "${name}", or write name: ${yamlText(skill.folder)}`,
      })
    }
  },
}
