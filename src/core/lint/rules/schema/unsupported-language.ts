import { nearest } from '../../../../util/nearest.ts'
import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, exampleToml } from '../../example-skill.ts'
import { inToml, quote, replaceToml, tableAt, tomlText } from '../../skill-facts.ts'

/** Languages that a skill's entrypoint may be written in. */
export const SKILL_LANGUAGES = ['python']

export const UNSUPPORTED_LANGUAGE: Rule = {
  id: 'schema/unsupported-language',
  severity: 'error',
  what: 'runtime.language is not one that a runtime executes',
  why: 'Version 0.1 of the protocol knows Python entrypoints only.',
  example: {
    bad: { 'skill.toml': exampleToml({}, EXAMPLE_TABLES.replace('"python"', '"Python3"')) },
    good: {},
  },
  fix: 'Write language = "python". --fix-unsafe does so for a near miss such as "Python3".',
  fixable: 'unsafe',
  check(skill, report) {
    const { language } = tableAt(skill, 'runtime')
    if (typeof language !== 'string' || SKILL_LANGUAGES.includes(language)) return
    const guess = nearest(language, SKILL_LANGUAGES)
    report({
      ...inToml(skill, ['runtime', 'language']),
      message: `language is ${quote(language)}, expected "python"`,
      help: guess ? `Did you mean "${guess}"?` : 'Write the entrypoint in Python',
      edits: guess ? replaceToml(skill, ['runtime', 'language'], tomlText(guess)) : [],
      unsafe: true,
    })
  },
}
