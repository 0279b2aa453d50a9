import type { Finding } from '../lint/finding.ts'
import { toFindings, type TrialReport } from '../trials/index.ts'
import type { VetReport } from './vet-folder.ts'
import { judgeFindings } from './verdict.ts'

/** Kinds of proofs as rules of reports; no linter runs them. */
export const PROOF_RULES = [
  {
    id: 'trial/marker-sent',
    severity: 'error',
    what: 'A run sent bait away: keys, tokens or variables that only the trial has',
    why: 'Whoever receives it can act as the user.',
    fix: 'Do not use the skill.',
  },
  {
    id: 'trial/read-and-sent',
    severity: 'warning',
    what: 'A run read private files, and sent bytes that cannot be read',
    why: 'The bytes can be the files, encrypted.',
    fix: 'Ask the author what the run sends.',
  },
  {
    id: 'trial/document-sent',
    severity: 'warning',
    what: 'A run sent files of the user to a host that no document of the skill names',
    why: 'The user does not know of the host.',
    fix: 'Ask the author to name the host and the data, or do not use the skill.',
  },
  {
    id: 'trial/persistence',
    severity: 'error',
    what: 'A run wrote to a file that later sessions execute or obey',
    why: 'It acts after the skill is removed.',
    fix: 'Do not use the skill, unless its description names the file.',
  },
  {
    id: 'trial/fetched-code-run',
    severity: 'error',
    what: 'A run executed a text that came from another host',
    why: 'The text can be another one for each user.',
    fix: 'Do not use the skill, unless the text has a digest.',
  },
  {
    id: 'trial/destruction',
    severity: 'error',
    what: 'A run deleted or encrypted files of the home folder',
    why: 'The files of the user would be lost.',
    fix: 'Do not use the skill.',
  },
] as const

/** The report with what running the skill has proved. A verdict is never lowered. */
export function addProofs(report: VetReport, dir: string, trials: TrialReport): VetReport {
  const proofs = toFindings(trials).map(({ kind, file, line, message, repeat }): Finding => {
    const rule = `trial/${kind}`
    const severity = PROOF_RULES.find(({ id }) => id === rule)?.severity ?? 'error'
    const start = line === undefined ? undefined : { line, column: 1 }
    const help = `To see it again, type: ${repeat}`
    return createFinding(dir, { rule, severity, file, start, message, help, certainty: 'proved' })
  })
  return addFindings(report, proofs)
}

type FindingParts = Pick<Finding, 'rule' | 'severity' | 'file' | 'start' | 'message' | 'help'> &
  Required<Pick<Finding, 'certainty'>>

/** A finding that no linter made. */
export function createFinding(dir: string, parts: FindingParts): Finding {
  const { file, start } = parts
  return {
    skill: dir,
    path: file,
    end: start,
    related: [],
    fix: undefined,
    edits: [],
    ...parts,
  }
}

/** The report with more findings, which can raise its verdict only. */
export function addFindings(report: VetReport, more: readonly Finding[]): VetReport {
  const findings = [...more, ...report.findings]
  return { ...report, findings, verdict: judgeFindings(findings) }
}
