import {
  SKILL_LANGUAGE_NAMES,
  SKILL_LANGUAGES,
  findSkillLanguage,
} from '../../../skills/manifest/skill-languages.ts'
import { findNearest } from '../../../../util/find-nearest.ts'
import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import {
  locateInToml,
  quoteValue,
  replaceTomlValue,
  getTable,
  toTomlString,
} from '../../skill-facts.ts'

export const UNSUPPORTED_LANGUAGE: Rule = {
  id: 'schema/unsupported-language',
  severity: 'error',
  what: 'runtime.language is not a supported language',
  why: 'The code cannot run. The protocol defines python; node, typescript and shell are extensions of this runtime.',
  example: {
    bad: { 'skill.toml': createExampleToml({}, EXAMPLE_TABLES.replace('"python"', '"Python3"')) },
    good: {},
  },
  fix: 'Write language = "python", "node", "typescript" or "shell". --fix-unsafe corrects similar names such as "Python3".',
  fixable: 'unsafe',
  check(skill, report) {
    const { language } = getTable(skill, 'runtime')
    if (typeof language !== 'string' || findSkillLanguage(language)) return
    const guess = suggestLanguage(language)
    report({
      ...locateInToml(skill, ['runtime', 'language']),
      message: `language is ${quoteValue(language)}, expected one of ${SKILL_LANGUAGE_NAMES.join(', ')}`,
      help: guess ? `Did you mean "${guess}"?` : 'Write the entrypoint in one of these languages',
      edits: guess ? replaceTomlValue(skill, ['runtime', 'language'], toTomlString(guess)) : [],
      unsafe: true,
    })
  },
}

function suggestLanguage(name: string): string | undefined {
  const lowerCase = name.toLowerCase()
  const known = SKILL_LANGUAGES.find(({ aliases }) => aliases.includes(lowerCase))
  return known?.name ?? findNearest(lowerCase, SKILL_LANGUAGE_NAMES)
}
