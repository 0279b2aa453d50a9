import { checkSkill } from '../lint/check-skill.ts'
import type { CheckFailure, Finding, SuppressedFinding } from '../lint/finding.ts'
import { readUnparsedSkill } from '../lint/load-skill.ts'
import { SAFETY_RULES } from '../lint/rules/safety/index.ts'
import { createLintSettings } from '../lint/settings.ts'
import { readSafety } from '../safety/index.ts'
import { judgeFindings, type VetVerdict } from './verdict.ts'

export interface VetReport {
  /** Name of the skill as its manifest has it. */
  name: string
  verdict: VetVerdict
  /** Paths are relative to the skill; the worst first. */
  findings: readonly Finding[]
  /** Findings that comments of the skill would suppress; they are in `findings` too. */
  suppressed: readonly SuppressedFinding[]
  /** Files that were read. */
  read: readonly string[]
  notRead: readonly { path: string; reason: string }[]
  failures: readonly CheckFailure[]
}

const SETTINGS = {
  rules: {},
  overrides: [],
  ignore: [],
  baseline: undefined,
  profiles: [],
} as const

const ORDER: readonly Finding['severity'][] = ['error', 'warning', 'info']

/** Reads the skill in a folder, by its absolute path. */
export function vetFolder(dir: string): VetReport {
  const skill = readUnparsedSkill(dir)
  const { findings, suppressed, failures } = checkSkill(
    { skill },
    {
      cwd: dir,
      settings: createLintSettings({ ...SETTINGS, rules: {}, overrides: [], profiles: [] }),
      only: SAFETY_RULES,
      ignoreSuppressions: true,
    },
  )
  const { read, notRead } = readSafety(skill)
  return {
    name: skill.manifest.name || skill.folder,
    verdict: judgeFindings(findings),
    findings: findings.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity)),
    suppressed,
    read,
    notRead,
    failures,
  }
}
