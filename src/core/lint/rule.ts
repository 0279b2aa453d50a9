import type { Manifest } from '../skills/manifest/manifest.ts'
import type { SkillSource, Span } from '../skills/manifest/source.ts'
import type { ManifestProblem } from '../skills/manifest/to-manifest.ts'
import type { PythonFacts } from './python/facts.ts'

export const AREAS = [
  'schema',
  'naming',
  'files',
  'entrypoint',
  'inputs',
  'permissions',
  'docs',
  'portability',
  'hygiene',
] as const
type Area = (typeof AREAS)[number]

export type Severity = 'error' | 'warning' | 'info'

/** One check: what it looks for, why it matters, an example of both, how to mend it. */
export interface Rule {
  /** `area/what-is-wrong`, also the file's name under rules/. */
  id: `${Area}/${string}`
  severity: Severity
  /** One sentence. */
  what: string
  /** Why somebody should care. */
  why: string
  /** Files of a skill that has the problem and of the same skill without it; a test runs both. */
  example: { bad: RuleExample; good: RuleExample }
  /** How to mend it by hand. */
  fix: string
  /** Set where the rule's findings carry edits. */
  fixable?: 'safe' | 'unsafe'
  /** True for a rule that needs Python's own view of the code. */
  needsPython?: boolean
  check(skill: LintedSkill, report: ReportFinding): void
}

/**
 * Paths to contents. What is not named is filled from a small valid skill, so that an example
 * shows only what matters; null removes a file of it.
 */
export type RuleExample = Readonly<Record<string, string | null | ExampleFile>>

/** A file that text alone cannot describe. */
interface ExampleFile {
  content?: string | Uint8Array
  mode?: number
  symlink?: string
  fifo?: boolean
  folder?: boolean
}

/** What rules see of a skill. */
export interface LintedSkill extends SkillSource {
  /** The folder's own name. */
  folder: string
  /** The typed view; present even when parts are invalid, with what could be read. */
  manifest: Manifest
  /** Why the repository refuses the skill: each of these is an error of some rule. */
  problems: readonly ManifestProblem[]
  /** Hosts whose limits the skill must respect. */
  profiles: readonly HostProfile[]
  /** Python's view of a file of this skill; undefined for what is no Python or could not be asked. */
  getPythonFacts(path: string): PythonFacts | undefined
  /** Other skills of the same invocation, by name and version, for rules across skills. */
  duplicates: readonly { dir: string; name: string; version: string }[]
  /** True where the roots hold it, but too far down to be found. */
  isTooDeep: boolean
}

export type HostProfile = 'agent-skills' | 'mcp' | 'openai' | 'claude-api'

export type ReportFinding = (finding: RawFinding) => void

/** A finding as a rule states it; the engine adds rule, severity, line and column. */
export interface RawFinding {
  /** Relative to the skill. */
  file: string
  /** The exact characters at fault; without it the finding is about the file as a whole. */
  span?: Span | undefined
  /** What is wrong, offending text quoted, then what is expected; no final full stop. */
  message: string
  /** One imperative line. */
  help?: string | undefined
  related?: readonly { file: string; span?: Span; message: string }[]
  /** Edits that remove the problem; safe unless said otherwise. */
  edits?: readonly LintEdit[]
  unsafe?: boolean
  /** Set where this one finding matters more than the rule's others. */
  severity?: Severity
}

/** A change on disk, inside the skill. */
export type LintEdit =
  | { kind: 'replace'; file: string; span: Span; text: string }
  | { kind: 'chmod'; file: string; mode: number }
  | { kind: 'delete'; file: string }
  | { kind: 'create'; file: string; text: string }
