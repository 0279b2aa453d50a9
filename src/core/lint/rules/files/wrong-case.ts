import { quoteShellWord } from '../../../../util/shell-word.ts'
import type { Rule } from '../../rule.ts'

const EXACT_NAMES = ['skill.toml', 'SKILL.md']

export const WRONG_CASE: Rule = {
  id: 'files/wrong-case',
  severity: 'error',
  what: 'skill.toml or SKILL.md is spelled with other upper or lower case',
  why: 'Case-sensitive file systems do not find the file.',
  example: { bad: { 'SKILL.md': null, 'Skill.md': '# Greet\n' }, good: {} },
  fix: 'Rename the file.',
  check(skill, report) {
    for (const { path } of skill.files) {
      const exact = EXACT_NAMES.find((name) => name.toLowerCase() === path.toLowerCase())
      if (exact === undefined || exact === path) continue
      report({
        file: path,
        message: `"${path}" is not recognized, expected "${exact}"`,
        help: `Rename it: git mv -- ${quoteShellWord(path)} ${exact}`,
      })
    }
  },
}
