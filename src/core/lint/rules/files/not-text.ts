import type { LintedSkill, Rule } from '../../rule.ts'
import { isVendored } from '../../vendored.ts'

const MAX_BYTES = 1024 * 1024

export const NOT_TEXT: Rule = {
  id: 'files/not-text',
  severity: 'warning',
  what: 'A file that is named like a text is none in UTF-8',
  why: 'Models get it as base64 instead of words, Python refuses to import it, and no check looks into it.',
  example: { bad: { 'resources/notes.md': { content: new Uint8Array([0xe4, 0x0a]) } }, good: {} },
  fix: 'Save it as UTF-8, or name it for what it is.',
  check(skill, report) {
    for (const { path, type, size } of skill.files) {
      if (type !== 'file' || size > MAX_BYTES || !isTextExpected(path)) continue
      const why = describeContentProblem(skill, path)
      if (!why) continue
      report({
        file: path,
        ...(why === 'is no UTF-8' ? {} : { span: findNul(skill, path) }),
        message: `"${path}" ${why}, expected UTF-8 text`,
        help: 'Save it as UTF-8, or give it the suffix of what it is',
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
  if (text === undefined) return 'is no UTF-8'
  return text.includes('\0') ? 'has NUL characters' : undefined
}

function findNul(skill: LintedSkill, path: string): { start: number; end: number } {
  const start = skill.read(path)?.indexOf('\0') ?? 0
  return { start, end: start + 1 }
}
