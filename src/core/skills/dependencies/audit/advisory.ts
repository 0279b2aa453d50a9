export const AUDIT_LEVELS = ['info', 'low', 'moderate', 'high', 'critical'] as const
export type AuditLevel = (typeof AUDIT_LEVELS)[number]

/** A known vulnerability of a locked package. */
export interface Advisory {
  language: 'python' | 'node'
  package: string
  version: string
  id: string
  title: string
  /** Null if the source states none. */
  severity: AuditLevel | null
  /** Versions without it, as the source states them; null if it states none. */
  fixed: string | null
  url: string | null
}

/** A package about which the source had no answer. */
interface UnauditedPackage {
  language: 'python' | 'node'
  package: string
  version: string
  reason: string
}

export interface AuditCall {
  env: Readonly<Record<string, string | undefined>>
  signal?: AbortSignal | undefined
}

export interface AdvisoryReport {
  /** Number of packages about which there is an answer. */
  asked: number
  advisories: Advisory[]
  unasked: UnauditedPackage[]
}

/** True for advisories at a level or above; an unknown severity counts as the highest. */
export function isAtLevel({ severity }: Advisory, level: AuditLevel): boolean {
  return severity === null || AUDIT_LEVELS.indexOf(severity) >= AUDIT_LEVELS.indexOf(level)
}
