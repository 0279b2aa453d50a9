import type { Rule } from '../../rule.ts'

export const CODE_WITHOUT_MANIFEST: Rule = {
  id: 'files/code-without-manifest',
  severity: 'warning',
  what: 'The skill has a code folder but no skill.toml',
  why: 'Without a manifest the skill consists of instructions only; its code never runs.',
  example: { bad: { 'skill.toml': null }, good: {} },
  fix: 'Add a skill.toml with a [runtime] table, or move helper scripts to scripts/.',
  check(skill, report) {
    if (skill.toml || skill.files.some((file) => file.path === 'skill.toml')) return
    const code = skill.files.find(
      (file) => file.type === 'file' && /^code\/[^/]+\.py$/.test(file.path),
    )
    if (!code) return
    report({
      file: code.path,
      message: `"${code.path}" never runs, because there is no skill.toml`,
      help: 'Add skill.toml, or move the file to scripts/',
    })
  },
}
