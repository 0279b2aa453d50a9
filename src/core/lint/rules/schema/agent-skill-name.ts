import type { LintedSkill, Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import {
  getFrontMatter,
  locateInFrontMatter,
  hasProblemAt,
  describeType,
  quoteValue,
} from '../../skill-facts.ts'
import { normalizeAgentName } from '../../../skills/manifest/to-manifest.ts'
import { describeAgentNameProblem } from '../../agent-skill.ts'
import { toYamlString } from '../../yaml/yaml-string.ts'

/** The format allows letters of all languages; this runtime does not. */
const NOT_ASCII = 'has letters other than a-z, expected a-z, 0-9 and -'

const INSTRUCTION_SKILL = { 'skill.toml': null, 'code/main.py': null }

export const AGENT_SKILL_NAME: Rule = {
  id: 'schema/agent-skill-name',
  severity: 'error',
  what: 'A skill without skill.toml has no valid name in its front matter',
  why: 'Only the front matter identifies such a skill.',
  example: {
    bad: {
      ...INSTRUCTION_SKILL,
      'SKILL.md': createExampleMarkdown('name: Greet Me\ndescription: Greets somebody by name.\n'),
    },
    good: {
      ...INSTRUCTION_SKILL,
      'SKILL.md': createExampleMarkdown('name: greet\ndescription: Greets somebody by name.\n'),
    },
  },
  fix: 'Write a name of lower-case letters, digits and hyphens that equals the folder.',
  check(skill, report) {
    const data = getFrontMatter(skill)
    if (skill.toml || !data) return
    const name = data['name'] ?? data[findNameKey(data)]
    const isUsable = !hasProblemAt(skill, 'SKILL.md', ['name'])
    const leniency = chooseLeniency(skill, isUsable)
    if (typeof name !== 'string' || name.trim() === '') {
      report({
        ...leniency,
        ...locateInFrontMatter(skill, ['name']),
        message: `"name" in the front matter is ${name === '' ? 'empty' : describeType(name)}, expected a string`,
        help: `Write name: ${toYamlString(skill.folder)}`,
      })
      return
    }
    const notAscii = isUsable ? undefined : NOT_ASCII
    const problem = describeAgentNameProblem(name) ?? notAscii
    if (problem)
      report({
        ...(normalizeAgentName(name) === name.trim() ? {} : leniency),
        ...locateInFrontMatter(skill, ['name']),
        message: `The name ${quoteValue(name)} ${problem}`,
        help: 'Write lower-case words with single hyphens between them',
      })
    else if (name.trim().normalize('NFKC') !== skill.folder.normalize('NFKC')) {
      report({
        ...locateInFrontMatter(skill, ['name']),
        message: `The name ${quoteValue(name)} differs from the folder "${skill.folder}", expected them to be equal`,
        help: `Rename the folder to "${name}", or write name: ${toYamlString(skill.folder)}`,
      })
    }
  },
}

/** Without a name, or with capitals and spaces, the skill is read as other clients read it. */
function chooseLeniency({ requestedProfiles }: LintedSkill, isUsable: boolean) {
  const isStrict = requestedProfiles.includes('agent-skills')
  return isUsable && !isStrict ? ({ severity: 'warning' } as const) : {}
}

/** The key of the name, if it is written with capitals. */
function findNameKey(data: object): string {
  return Object.keys(data).find((key) => key.toLowerCase() === 'name') ?? 'name'
}
