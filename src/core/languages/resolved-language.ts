import type { Candidate, Language, ToolMount } from './language.ts'
import type { FoundProgram } from './trusted-program.ts'

/** A program as a run finds it. */
export interface ResolvedProgram {
  /** Its path inside. */
  inside: string
  /** On this machine, links resolved. */
  real: string
  mounts: readonly ToolMount[]
  environment: Readonly<Record<string, string>>
}

/** A language with the programs that run it. */
export interface ResolvedLanguage {
  kind: 'resolved'
  language: Language
  candidate: Candidate
  /** Empty where nobody needed to know it. */
  version: string
  /** Where the candidate's program was found. */
  found: FoundProgram
  /** By name: the candidate's program and those that it needs. */
  programs: ReadonlyMap<string, ResolvedProgram>
}

/** Why there is none. */
export type UnresolvedLanguage =
  | { kind: 'mismatch'; sentence: string }
  | { kind: 'untrusted'; sentence: string }
  | {
      kind: 'missing'
      sentence: string
      /** What to do about it. */
      hint: string
      /** The programs that were looked for. */
      tried: readonly string[]
    }
