import type { LintedSkill, Rule } from '../../rule.ts'

export const UNREADABLE_MANIFEST: Rule = {
  id: 'files/unreadable-manifest',
  severity: 'error',
  what: 'skill.toml or SKILL.md is not a UTF-8 text file of at most 1 MiB',
  why: 'No runtime can read it.',
  example: { bad: { 'SKILL.md': { content: new Uint8Array([0xff, 0xfe, 0x00, 0x41]) } }, good: {} },
  fix: 'Save it as UTF-8 text; move large parts into separate files.',
  check(skill, report) {
    for (const { path, type, size } of skill.files) {
      if ((path !== 'skill.toml' && path !== 'SKILL.md') || isReportedLink(skill, path)) continue
      const read = path === 'skill.toml' ? skill.toml : skill.markdown
      if (read !== undefined && !read.text.includes('\0')) continue
      const problem =
        type !== 'file'
          ? 'is not a regular file'
          : size > 1024 * 1024
            ? `has ${size} bytes`
            : 'is not UTF-8 text'
      report({
        file: path,
        message: `"${path}" ${problem}, expected a text file of at most 1 MiB`,
        help: 'Save it as plain UTF-8 text',
      })
    }
  },
}

/** Links that lead out of the skill or to nothing have rules of their own. */
function isReportedLink({ files }: LintedSkill, path: string): boolean {
  const linksTo = files.find((file) => file.path === path)?.linksTo
  return linksTo === 'outside' || linksTo === 'nowhere'
}
