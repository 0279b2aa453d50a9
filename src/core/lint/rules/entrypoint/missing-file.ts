import { findNearestFile } from '../../../../util/find-nearest-file.ts'
import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import {
  findFile,
  locateInToml,
  quoteValue,
  replaceTomlValue,
  toTomlString,
} from '../../skill-facts.ts'
import { findPathProblem } from '../../../skills/repository/contained-file.ts'
import { hasLanguageExtension } from '../../../skills/manifest/skill-languages.ts'

export const MISSING_FILE: Rule = {
  id: 'entrypoint/missing-file',
  severity: 'error',
  what: 'The entrypoint is not a file of the skill',
  why: 'Every call of the skill fails.',
  example: {
    bad: { 'skill.toml': createExampleToml({}, EXAMPLE_TABLES.replace('main.py', 'mian.py')) },
    good: {},
  },
  fix: 'Correct the path, or add the file.',
  fixable: 'unsafe',
  check(skill, report) {
    const { entrypoint, language } = skill.manifest.runtime ?? {}
    if (!entrypoint || findPathProblem(entrypoint) || skill.filesCut) return
    const found = findFile(skill, entrypoint)
    if (found && found.type !== 'directory') return
    const guess = findNearestFile(
      entrypoint,
      skill.files.map(({ path }) => path).filter((path) => hasLanguageExtension(language, path)),
    )
    report({
      ...locateInToml(skill, ['runtime', 'entrypoint']),
      message: found
        ? `The entrypoint ${quoteValue(entrypoint)} is a folder, expected a file`
        : `The entrypoint ${quoteValue(entrypoint)} does not exist`,
      help: guess ? `Did you mean "${guess}"?` : `Create ${entrypoint}, or name an existing file`,
      edits: guess ? replaceTomlValue(skill, ['runtime', 'entrypoint'], toTomlString(guess)) : [],
      unsafe: true,
    })
  },
}
