import type { DifferenceSeverity } from '../../core/comparing/difference.ts'

/** Exit statuses of `skills diff`; those below 10 have the same meaning in all commands. */
export const DIFF_EXIT_STATUSES: Readonly<Record<DifferenceSeverity, number>> = {
  patch: 0,
  minor: 10,
  major: 20,
  danger: 30,
}

export function toDiffExitStatus(severity: DifferenceSeverity | undefined): number {
  return severity === undefined ? 0 : DIFF_EXIT_STATUSES[severity]
}
