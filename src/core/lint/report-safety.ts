import { readSafety, type SafetyClass } from '../safety/index.ts'
import type { Rule } from './rule.ts'

/** The check of the rule that reports a class of the safety reading. */
export function reportSafety(name: SafetyClass): Rule['check'] {
  return (skill, report) => {
    for (const finding of readSafety(skill).findings) {
      if (finding.class !== name) continue
      const { file, span, message, help, severity, certainty } = finding
      report({ file, span, message, help, severity, certainty })
    }
  }
}
