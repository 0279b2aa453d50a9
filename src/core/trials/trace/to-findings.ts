import type { Proof, TrialReport } from '../trial-report.ts'

/** A proof as a finding of `skills vet`. */
export interface ProvedFinding {
  kind: Proof['kind']
  /** Path in the skill. */
  file: string
  line: number | undefined
  message: string
  certainty: 'proved'
  /** Command that repeats the trial. */
  repeat: string
}

/** Lists the proofs as findings: one for each file and act. */
export function toFindings({ proofs }: TrialReport): ProvedFinding[] {
  const findings = proofs.map(({ kind, file, line, message, variant, repeat }) => ({
    kind,
    file: file ?? 'SKILL.md',
    line,
    message: variant === 'plain' ? message : `${message} (variant: ${variant})`,
    certainty: 'proved' as const,
    repeat,
  }))
  const distinct = new Map(
    findings.map((each) => [`${each.file}:${each.line} ${each.message}`, each]),
  )
  return [...distinct.values()]
}
