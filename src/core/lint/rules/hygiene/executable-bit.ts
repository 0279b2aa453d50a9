import { reportOnce } from '../../report-once.ts'
import { quoteShellWord } from '../../../../util/shell-word.ts'
import type { RawFinding, Rule } from '../../rule.ts'
import { isVendored } from '../../vendored.ts'

export const EXECUTABLE_BIT: Rule = {
  id: 'hygiene/executable-bit',
  severity: 'info',
  what: 'A file that is not a script is executable',
  why: 'The executable bit is published with the file; on a text file it is a mistake.',
  example: { bad: { 'skill.toml': { mode: 0o755 } }, good: {} },
  fix: 'Remove the executable bit: chmod -x.',
  fixable: 'safe',
  check(skill, report) {
    const found: RawFinding[] = []
    for (const { path, type, mode } of skill.files) {
      if (
        type !== 'file' ||
        (mode & 0o111) === 0 ||
        isVendored(path) ||
        !/\.(?:md|toml|txt|json|ya?ml|csv|html|py|png|jpe?g|pdf)$/i.test(path)
      )
        continue
      if (skill.read(path)?.startsWith('#!')) continue
      found.push({
        file: path,
        message: `"${path}" is executable but has no "#!" line`,
        help: `Run: chmod -x -- ${quoteShellWord(path)}`,
        edits: [{ kind: 'chmod', file: path, mode: mode & ~0o111 }],
      })
    }
    reportOnce(report, found)
  },
}
