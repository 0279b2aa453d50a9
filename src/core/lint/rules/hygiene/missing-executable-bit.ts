import { quoteShellWord } from '../../../../util/shell-word.ts'
import type { Rule } from '../../rule.ts'

export const MISSING_EXECUTABLE_BIT: Rule = {
  id: 'hygiene/missing-executable-bit',
  severity: 'info',
  what: 'A script with a "#!" line is not executable',
  why: 'Instructions that call it directly fail with "Permission denied".',
  example: {
    bad: { 'scripts/run.sh': '#!/bin/sh\necho hello\n' },
    good: { 'scripts/run.sh': { content: '#!/bin/sh\necho hello\n', mode: 0o755 } },
  },
  fix: 'Set the executable bit: chmod +x.',
  fixable: 'safe',
  check(skill, report) {
    for (const { path, type, mode } of skill.files) {
      if (
        type !== 'file' ||
        (mode & 0o100) !== 0 ||
        !path.startsWith('scripts/') ||
        !skill.read(path)?.startsWith('#!')
      )
        continue
      report({
        file: path,
        span: { start: 0, end: 2 },
        message: `"${path}" has a "#!" line but is not executable`,
        help: `Run: chmod +x -- ${quoteShellWord(path)}`,
        edits: [{ kind: 'chmod', file: path, mode: mode | 0o111 }],
      })
    }
  },
}
