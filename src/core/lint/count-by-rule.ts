import type { Finding } from './finding.ts'

interface RuleCount {
  rule: string
  severity: Finding['severity']
  count: number
}

/** Counts findings by rule and severity, most frequent first. */
export function countByRule(findings: readonly Finding[]): RuleCount[] {
  const counts = new Map<string, RuleCount>()
  for (const { rule, severity } of findings) {
    const key = `${rule} ${severity}`
    const counted = counts.get(key)
    if (counted) counted.count += 1
    else counts.set(key, { rule, severity, count: 1 })
  }
  return [...counts.values()].sort((a, b) => b.count - a.count || (a.rule < b.rule ? -1 : 1))
}
