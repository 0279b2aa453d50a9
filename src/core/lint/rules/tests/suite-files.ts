import { join } from 'node:path'
import { memoize } from '../../../../util/memoize.ts'
import { SUITE_FILE, TESTS_FOLDER } from '../../../testing/suites/find-suites.ts'
import { parseSuite } from '../../../testing/suites/parse-suite.ts'
import type { SuiteFile } from '../../../testing/suites/suite.ts'
import type { LintedSkill } from '../../rule.ts'

/** Parsed files of cases of a skill, by path. */
export const parseSuites: (skill: LintedSkill) => ReadonlyMap<string, SuiteFile> = memoize(
  (skill) => {
    const suites = new Map<string, SuiteFile>()
    for (const { path, type } of skill.files) {
      if (type !== 'file' || !isSuitePath(path)) continue
      const text = skill.read(path)
      if (text !== undefined) suites.set(path, parseSuite(join(skill.dir, path), text))
    }
    return suites
  },
)

/** True for files directly in the folder of tests. */
export function isSuitePath(path: string): boolean {
  const [folder, name, ...rest] = path.split('/')
  return folder === TESTS_FOLDER && rest.length === 0 && SUITE_FILE.test(name ?? '')
}
