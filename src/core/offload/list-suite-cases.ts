import { relative } from 'node:path'
import type { InspectSkillResult } from '../methods/inspect-skill/definition.ts'
import { findSuites } from '../testing/suites/find-suites.ts'
import { readSuite } from '../testing/suites/parse-suite.ts'

/** Lists the cases of a skill. Suites are parsed as data, by the reader of `skills test`. */
export function listSuiteCases(dir: string): InspectSkillResult['tests'] {
  return findSuites(dir).map((file) => {
    const { suite, problems } = readSuite(file)
    return {
      file: relative(dir, file),
      cases: (suite?.cases ?? []).map(({ name, action, tags }) => ({
        name,
        kind: action.kind,
        tags,
      })),
      problems: problems.map(({ message, start }) => `${message} (line ${start.line})`),
    }
  })
}
