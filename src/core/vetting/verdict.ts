import type { Finding } from '../lint/finding.ts'

/** Verdicts from the worst. None says that a skill is harmless. */
const VERDICTS = ['dangerous', 'suspicious', 'nothing found'] as const
export type VetVerdict = (typeof VERDICTS)[number]

/** The verdict of findings: an error has no innocent reading, a warning needs an answer. */
export function judgeFindings(findings: readonly Pick<Finding, 'severity'>[]): VetVerdict {
  if (findings.some(({ severity }) => severity === 'error')) return 'dangerous'
  return findings.some(({ severity }) => severity === 'warning') ? 'suspicious' : 'nothing found'
}

/** The worst of some verdicts. */
export function findWorstVerdict(verdicts: readonly VetVerdict[]): VetVerdict {
  return VERDICTS.find((each) => verdicts.includes(each)) ?? 'nothing found'
}
