import { findNearest } from '../../../../util/find-nearest.ts'
import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, exampleToml } from '../../example-skill.ts'
import { fileAt, inToml, quote, replaceToml, tomlText } from '../../skill-facts.ts'
import { findPathProblem } from '../../../skills/repository/contained-file.ts'
import { hasLanguageExtension } from '../../../skills/manifest/skill-languages.ts'

export const MISSING_FILE: Rule = {
  id: 'entrypoint/missing-file',
  severity: 'error',
  what: 'The entrypoint is no file of the skill',
  why: 'Every call of the skill fails.',
  example: {
    bad: { 'skill.toml': exampleToml({}, EXAMPLE_TABLES.replace('main.py', 'mian.py')) },
    good: {},
  },
  fix: 'Correct the path, or add the file.',
  fixable: 'unsafe',
  check(skill, report) {
    const { entrypoint, language } = skill.manifest.runtime ?? {}
    if (!entrypoint || findPathProblem(entrypoint) || skill.filesCut) return
    const found = fileAt(skill, entrypoint)
    if (found && found.type !== 'directory') return
    const guess = findNearest(
      entrypoint,
      skill.files.map(({ path }) => path).filter((path) => hasLanguageExtension(language, path)),
    )
    report({
      ...inToml(skill, ['runtime', 'entrypoint']),
      message: found
        ? `The entrypoint ${quote(entrypoint)} is a folder, expected a file`
        : `The entrypoint ${quote(entrypoint)} does not exist`,
      help: guess ? `Did you mean "${guess}"?` : `Create ${entrypoint}, or name an existing file`,
      edits: guess ? replaceToml(skill, ['runtime', 'entrypoint'], tomlText(guess)) : [],
      unsafe: true,
    })
  },
}
