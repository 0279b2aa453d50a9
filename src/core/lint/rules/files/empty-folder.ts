import type { Rule } from '../../rule.ts'
import { EMPTY_FOLDER_EXAMPLE } from '../../example-skill.ts'

export const EMPTY_FOLDER: Rule = {
  id: 'files/empty-folder',
  severity: 'info',
  what: 'The folder code or resources is empty',
  why: 'Git does not store empty folders, so the skill looks different elsewhere.',
  example: EMPTY_FOLDER_EXAMPLE,
  fix: 'Remove the folder, or add a file to it.',
  check(skill, report) {
    if (skill.filesCut) return
    for (const folder of ['code', 'resources']) {
      if (!skill.files.some((file) => file.path === folder && file.type === 'directory')) continue
      if (skill.files.some((file) => file.path.startsWith(`${folder}/`))) continue
      report({
        file: folder,
        message: `The folder "${folder}" is empty`,
        help: `Remove it: rmdir ${folder}`,
      })
    }
  },
}
