import { skillLanguage, type SkillLanguageName } from '../skills/manifest/skill-languages.ts'
import type { Target } from './run-request.ts'

/** The language of what is called. */
export function languageOfTarget(target: Target): SkillLanguageName {
  if (target.kind === 'code') return target.language
  return skillLanguage(target.skill.manifest.runtime?.language)?.name ?? 'python'
}
