import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** Extensions of files of cases. */
export const SUITE_FILE = /\.test\.(?:toml|ya?ml)$/

/** Folder of a skill that contains its files of cases. */
export const TESTS_FOLDER = 'tests'

/** Lists the files of cases of a skill, sorted. */
export function findSuites(skill: string): string[] {
  const folder = join(skill, TESTS_FOLDER)
  // A link may lead out of the skill.
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && SUITE_FILE.test(entry.name))
    .map((entry) => join(folder, entry.name))
    .sort()
}
