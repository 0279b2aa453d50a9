import { isSemver } from '../../../../util/semver.ts'
import type { Rule } from '../../rule.ts'
import { locateInToml, getToml } from '../../skill-facts.ts'
import { FOLDER_VERSION_EXAMPLE } from '../../example-skill.ts'

export const FOLDER_VERSION: Rule = {
  id: 'naming/folder-version',
  severity: 'warning',
  what: "The folder's name has another version than the manifest",
  why: 'A search for a version by folder name finds another version.',
  example: FOLDER_VERSION_EXAMPLE,
  fix: 'Rename the folder, or correct the version.',
  check(skill, report) {
    const version = getToml(skill)?.['version']
    const folderVersion = /(?:^|[@_-])v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.]+)?)$/.exec(skill.folder)?.[1]
    if (typeof version !== 'string' || folderVersion === undefined || folderVersion === version)
      return
    if (!isSemver(version)) return
    report({
      ...locateInToml(skill, ['version']),
      message: `version is "${version}" but the folder is named "${skill.folder}"`,
      help: `Write version = "${folderVersion}", or rename the folder`,
    })
  },
}
