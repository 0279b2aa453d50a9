import {
  SKILL_LANGUAGE_NAMES,
  SKILL_LANGUAGES,
  findSkillLanguage,
} from '../../../skills/manifest/skill-languages.ts'
import { findNearest } from '../../../../util/find-nearest.ts'
import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, exampleToml } from '../../example-skill.ts'
import { inToml, quote, replaceToml, tableAt, tomlText } from '../../skill-facts.ts'

export const UNSUPPORTED_LANGUAGE: Rule = {
  id: 'schema/unsupported-language',
  severity: 'error',
  what: 'runtime.language is not one that a runtime executes',
  why: 'Nothing would run the code. The protocol itself knows Python; node, typescript and shell are extensions of this runtime.',
  example: {
    bad: { 'skill.toml': exampleToml({}, EXAMPLE_TABLES.replace('"python"', '"Python3"')) },
    good: {},
  },
  fix: 'Write language = "python", "node", "typescript" or "shell". --fix-unsafe does so for a near miss such as "Python3".',
  fixable: 'unsafe',
  check(skill, report) {
    const { language } = tableAt(skill, 'runtime')
    if (typeof language !== 'string' || findSkillLanguage(language)) return
    const guess = meant(language)
    report({
      ...inToml(skill, ['runtime', 'language']),
      message: `language is ${quote(language)}, expected one of ${SKILL_LANGUAGE_NAMES.join(', ')}`,
      help: guess ? `Did you mean "${guess}"?` : 'Write the entrypoint in one of these',
      edits: guess ? replaceToml(skill, ['runtime', 'language'], tomlText(guess)) : [],
      unsafe: true,
    })
  },
}

function meant(name: string): string | undefined {
  const small = name.toLowerCase()
  const known = SKILL_LANGUAGES.find(({ aliases }) => aliases.includes(small))
  return known?.name ?? findNearest(small, SKILL_LANGUAGE_NAMES)
}
