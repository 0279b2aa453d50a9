import { quoteShellWord } from '../../../../util/shell-word.ts'
import type { Rule } from '../../rule.ts'
import { SPECIAL_FILE_EXAMPLE } from '../../example-skill.ts'

export const SPECIAL_FILE: Rule = {
  id: 'files/special-file',
  severity: 'error',
  what: 'The skill contains a pipe, socket or device',
  why: 'Only files and folders can be published, and reading a special file may block.',
  example: SPECIAL_FILE_EXAMPLE,
  fix: 'Remove it.',
  check(skill, report) {
    for (const { path, type } of skill.files) {
      if (type === 'other')
        report({
          file: path,
          message: `"${path}" is neither a file nor a folder`,
          help: `Remove it: rm -- ${quoteShellWord(path)}`,
        })
    }
  },
}
