import type { LintedSkill, Rule } from '../../rule.ts'
import { isVendored } from '../../vendored.ts'

const MAX_BYTES = 1024 * 1024

export const NOT_TEXT: Rule = {
  id: 'files/not-text',
  severity: 'warning',
  what: 'A file with the extension of a text format is not UTF-8 text',
  why: 'Models get it as base64 instead of text, Python cannot import it, and lint does not check it.',
  example: { bad: { 'resources/notes.md': { content: new Uint8Array([0xe4, 0x0a]) } }, good: {} },
  fix: 'Save it as UTF-8, or give it the extension of its format.',
  check(skill, report) {
    for (const { path, type, size } of skill.files) {
      if (type !== 'file' || size > MAX_BYTES || !isTextExpected(path)) continue
      const problem = describeContentProblem(skill, path)
      if (!problem) continue
      report({
        file: path,
        ...(problem === 'is not UTF-8' ? {} : { span: findNul(skill, path) }),
        message: `"${path}" ${problem}, expected UTF-8 text`,
        help: 'Save it as UTF-8, or give it the extension of its format',
      })
    }
  },
}

/** The two manifests have a rule of their own. */
function isTextExpected(path: string): boolean {
  if (path === 'skill.toml' || path === 'SKILL.md' || isVendored(path)) return false
  return /\.(?:md|toml|py|txt|json|ya?ml|sh|csv|tsv|html|js|sql)$/i.test(path)
}

function describeContentProblem(skill: LintedSkill, path: string): string | undefined {
  const text = skill.read(path)
  if (text === undefined) return 'is not UTF-8'
  return text.includes('\0') ? 'contains NUL characters' : undefined
}

function findNul(skill: LintedSkill, path: string): { start: number; end: number } {
  const start = skill.read(path)?.indexOf('\0') ?? 0
  return { start, end: start + 1 }
}
