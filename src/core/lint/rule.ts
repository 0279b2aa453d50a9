import type { Config } from '../config/config.ts'
import type { Manifest } from '../skills/manifest/manifest.ts'
import type { SkillSource, Span } from '../skills/manifest/source.ts'
import type { ManifestProblem } from '../skills/manifest/to-manifest.ts'
import type { SafetyCertainty } from '../safety/index.ts'
import type { CodeFacts } from './code/code-facts.ts'
import type { PythonFacts } from './python/facts.ts'

export const AREAS = [
  'schema',
  'naming',
  'files',
  'entrypoint',
  'inputs',
  'permissions',
  'docs',
  'tests',
  'portability',
  'hygiene',
  'safety',
] as const
type Area = (typeof AREAS)[number]

export type Severity = 'error' | 'warning' | 'info'

/** A lint rule: what it checks, why it matters, examples, and how to fix a finding. */
export interface Rule {
  /** `area/what-is-wrong`, also the name of its file below rules/. */
  id: `${Area}/${string}`
  severity: Severity
  /** One sentence. */
  what: string
  /** Consequence for users of the skill. */
  why: string
  /** Files of a skill with the problem, and of the same skill without it; a test runs both. */
  example: { bad: RuleExample; good: RuleExample }
  /** How to fix it by hand. */
  fix: string
  /** Set if the findings carry edits. */
  fixable?: 'safe' | 'unsafe'
  /** True if the rule needs facts from the Python parser. */
  needsPython?: boolean
  check(skill: LintedSkill, report: ReportFinding): void
}

/**
 * Files by path. Files that are not listed come from a small valid skill, so that an example shows
 * only what matters; null removes a file.
 */
export type RuleExample = Readonly<Record<string, string | null | ExampleFile>>

/** A file that text cannot describe. */
interface ExampleFile {
  content?: string | Uint8Array
  mode?: number
  symlink?: string
  fifo?: boolean
  folder?: boolean
}

/** A skill as rules see it. */
export interface LintedSkill extends SkillSource {
  /** Name of the folder. */
  folder: string
  /** Typed manifest; present even if parts are invalid, with the valid values. */
  manifest: Manifest
  /** Reasons for which the repository rejects the skill; each is also an error of some rule. */
  problems: readonly ManifestProblem[]
  /** Hosts whose limits the skill must respect. */
  profiles: readonly HostProfile[]
  /** Profiles that the user named, for whose hosts all keys and values are checked. */
  requestedProfiles: readonly HostProfile[]
  /**
   * Facts about a Python file; undefined for other files, or if the interpreter is not available.
   */
  getPythonFacts(path: string): PythonFacts | undefined
  /** Facts about a file of JavaScript, TypeScript or shell; undefined for other files. */
  getCodeFacts(path: string): CodeFacts | undefined
  /** Other skills of this lint run with the same name and version. */
  duplicates: readonly { dir: string; name: string; version: string }[]
  /** True if the skill is below a root, but too deep to be discovered. */
  isTooDeep: boolean
  /** True if the contents are not those of the folder on disk. */
  isDetached?: boolean
  /**
   * True for the call of another user or machine: findings must not depend on files outside of the
   * skill.
   */
  staysInside?: boolean
}

export type HostProfile = Config['lint']['profiles'][number]

export type ReportFinding = (finding: RawFinding) => void

/** A finding as a rule reports it; the engine adds rule, severity, line and column. */
export interface RawFinding {
  /** Relative to the skill. */
  file: string
  /** The exact characters at fault; absent for findings about a whole file. */
  span?: Span | undefined
  /** The problem with the offending text quoted, then the expected value; no final full stop. */
  message: string
  /** One imperative sentence. */
  help?: string | undefined
  related?: readonly { file: string; span?: Span; message: string }[]
  /** Edits that remove the problem; safe unless `unsafe` is set. */
  edits?: readonly LintEdit[]
  unsafe?: boolean
  /** Overrides the severity of the rule for this finding. */
  severity?: Severity
  /** How sure a finding about the safety of the user is. */
  certainty?: SafetyCertainty
}

/** A change on disk, inside the skill. */
export type LintEdit =
  | { kind: 'replace'; file: string; span: Span; text: string }
  | { kind: 'chmod'; file: string; mode: number }
  | { kind: 'delete'; file: string }
  | { kind: 'create'; file: string; text: string }
