import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { LintedSkill, Rule } from '../../rule.ts'
import { extendExampleBody } from '../../example-skill.ts'
import { scanMarkdown } from '../../markdown/markdown-scan.ts'
import { leavesSkill } from '../../markdown/link-target.ts'
import { isPlaceholderTarget } from '../../markdown/mentioned-files.ts'

export const ESCAPING_LINK: Rule = {
  id: 'docs/escaping-link',
  severity: 'warning',
  what: "A link in SKILL.md points outside of the skill's folder",
  why: 'Only the folder is published; elsewhere the link is broken or shows something else.',
  example: { bad: { 'SKILL.md': extendExampleBody('See [it](../other/SKILL.md).\n') }, good: {} },
  fix: 'Copy the file into the skill, or refer to the other skill by its name.',
  check(skill, report) {
    const { markdown } = skill
    for (const { target, span } of markdown ? scanMarkdown(markdown).links : []) {
      if (!leavesSkill(target) || isPlaceholderTarget(target)) continue
      const isFound = existsBeside(skill, target)
      report({
        file: 'SKILL.md',
        span,
        message: `The link "${target}" points outside of the skill${isFound || skill.staysInside ? '' : ', to no file'}`,
        help: 'Link to a file of the skill, or refer to the other skill by its name',
        // The link works as long as the skill remains in its repository.
        ...(isFound && { severity: 'info' }),
      })
    }
  },
}

function existsBeside({ dir, staysInside }: LintedSkill, target: string): boolean {
  if (staysInside) return false
  return target.startsWith('../') && existsSync(join(dir, target.replace(/[?#].*$/s, '')))
}
