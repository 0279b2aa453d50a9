import type { Candidate, Language, ToolMount } from './language.ts'
import type { FoundProgram } from './trusted-program.ts'

/** A program as a run uses it. */
export interface ResolvedProgram {
  /** Its path inside the sandbox. */
  inside: string
  /** Its path on the host, links resolved. */
  real: string
  mounts: readonly ToolMount[]
  environment: Readonly<Record<string, string>>
}

/** A language with the programs that run it. */
export interface ResolvedLanguage {
  kind: 'resolved'
  language: Language
  candidate: Candidate
  /** Empty if the version was not needed. */
  version: string
  /** The location of the candidate's program. */
  found: FoundProgram
  /** The location of the program behind a shim; otherwise the same. */
  started: FoundProgram
  /** The candidate's program and those that it needs, by name. */
  programs: ReadonlyMap<string, ResolvedProgram>
  /** Reasons why programs that come first in PATH are not used. */
  notices: readonly string[]
}

/** The reason why no program was resolved. */
export type UnresolvedLanguage =
  | { kind: 'mismatch'; sentence: string }
  | { kind: 'untrusted'; sentence: string }
  | {
      kind: 'missing'
      sentence: string
      /** Next step for the caller. */
      hint: string
      /** The programs that were searched. */
      tried: readonly string[]
    }
