import type { LintedSkill } from '../lint/rule.ts'
import { findVendoredFolder } from './snapshots/left-out-paths.ts'

/** All files of a skill that are text, whatever their names, without installed packages. */
export function* listTexts(skill: LintedSkill): Generator<{ path: string; text: string }> {
  for (const { path, type } of skill.files) {
    if (type !== 'file' || findVendoredFolder(path) !== undefined) continue
    const text = skill.read(path)
    if (text !== undefined && !text.includes('\0')) yield { path, text }
  }
}
