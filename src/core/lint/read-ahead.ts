import { startWorkSlices } from '../../util/slices/work-slices.ts'
import type { LintedSkill } from './rule.ts'
import { readTextFiles } from './skill-facts.ts'

/** Files above which reading them all delays other callers noticeably. */
const MANY_FILES = 100

/** Reads the text files of a large skill in slices, because rules read them in one step. */
export async function readFilesAhead(skill: LintedSkill): Promise<void> {
  if (skill.files.length < MANY_FILES) return
  const yieldIfDue = startWorkSlices()
  const texts = readTextFiles(skill)
  while (texts.next().done !== true) await yieldIfDue()
}
