import { memoize } from '../../../util/memoize.ts'
import { isBadExample, isSecuritySkill } from '../prose/quotation.ts'
import type { SafetySource } from '../safety-finding.ts'
import type { Passage } from '../texts/passage.ts'

/** Words that call a block bad in a skill about attacks, and say what the skill does in others. */
const WEAK_CUES =
  /\b(?:detects?|reject|block(?:ed|s)?|scan|sample|looks? for|patterns?|payload|suspicious|vulnerable|(?:wrong|bad)(?!\s*(?:[:(.—-]|$|way|examples?)))\b/gi
const STRONG_CUES = /\bred flags?\b|\bwarning signs?\b/i
/** Subjects of skills that show attacks: many others detect, scan or audit something. */
const ATTACKS =
  /secur|vulnerab|injection|malware|threat|pentest|penetration|phishing|attack|exploit|jailbreak|red.?team|forensic|malicious|hardening|secret.?scan|安全|攻击|恶意/i

/** True for a block of a document that shows what is bad, and is not to be run. */
export function isShownAsBad(skill: SafetySource, passage: Passage): boolean {
  const { headings, intro } = passage
  if (STRONG_CUES.test(`${headings} ${intro.slice(-250)}`)) return true
  if (!isBadExample(skill, passage)) return false
  if (isSecuritySkill(skill) && (passage.isQuote || isAboutAttacks(skill))) return true
  return isBadExample(withoutSubject(skill), {
    ...passage,
    intro: intro.replace(WEAK_CUES, ' '),
  })
}

function isAboutAttacks({ manifest }: SafetySource): boolean {
  return ATTACKS.test(`${manifest.name} ${manifest.description}`)
}

const withoutSubject = memoize((skill: SafetySource): SafetySource => ({
  ...skill,
  manifest: { ...skill.manifest, name: '', description: '', frontMatter: {} },
}))
