import { findNearest } from '../../../../util/find-nearest.ts'
import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { AGENT_SKILL_KEYS } from '../../agent-skill.ts'
import { ALL_HOST_KEYS } from '../../profiles/index.ts'
import { getFrontMatter, locateInFrontMatter } from '../../skill-facts.ts'

export const FRONT_MATTER_KEY: Rule = {
  id: 'portability/front-matter-key',
  severity: 'info',
  what: 'The front matter has a misspelled key, or one that the Agent Skills format does not know',
  why: 'Hosts ignore a misspelled key; strict hosts of plain Agent Skills reject any other key.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nlicence: MIT\n',
      ),
    },
    good: {},
  },
  fix: 'Correct the key, or move the value to skill.toml, or below metadata as a string.',
  check(skill, report) {
    const isStrict = skill.requestedProfiles.includes('agent-skills')
    for (const key of Object.keys(getFrontMatter(skill) ?? {})) {
      if (AGENT_SKILL_KEYS.includes(key)) continue
      const isKnown = READ_KEYS.includes(key)
      const guess = isKnown ? undefined : findNearest(key, ALL_HOST_KEYS)
      if (isStrict) {
        report({
          ...locateInFrontMatter(skill, [key], 'key'),
          message: `As an Agent Skill, "${key}" is not a valid key, expected one of ${AGENT_SKILL_KEYS.join(', ')}`,
          help: guess ? `Did you mean "${guess}"?` : 'Move it to skill.toml, or below metadata',
          severity: 'warning',
        })
      } else if (guess !== undefined) {
        report({
          ...locateInFrontMatter(skill, [key], 'key'),
          message: `"${key}" is not a key that any known host reads`,
          help: `Did you mean "${guess}"?`,
          severity: 'warning',
        })
      }
    }
  },
}

/** Keys of all hosts, of this runtime, and of catalogs, which are no misspellings of another key. */
const READ_KEYS: readonly string[] = [
  ...ALL_HOST_KEYS,
  'agent',
  'agents',
  'argument-hint',
  'author',
  'authors',
  'categories',
  'category',
  'color',
  'command',
  'context',
  'date_added',
  'dependencies',
  'disable-model-invocation',
  'displayName',
  'display_name',
  'effort',
  'homepage',
  'hooks',
  'icon',
  'keywords',
  'model',
  'origin',
  'package',
  'paths',
  'repo',
  'repository',
  'requires',
  'risk',
  'short_description',
  'skills',
  'source',
  'tags',
  'title',
  'tools',
  'triggers',
  'type',
  'user-invocable',
  'version',
  'when_to_use',
]
