import type { LanguageReport } from '../languages/list-languages.ts'
import type { BackendName } from '../sandbox/isolation.ts'
import type { PlainObject } from '../skills/manifest/manifest.ts'

/** Result of one check. */
export interface CheckRecord {
  id: string
  title: string
  /** False for an optional feature. */
  needed: boolean
  /** Null if it was not tried. */
  ok: boolean | null
  detail: string
  /** Command or change that fixes it; null if nothing is wrong. */
  fix: string | null
}

/** A language, and whether a program of it runs in a sandbox. */
export interface TriedLanguage extends LanguageReport {
  /** Null if it is not installed, or was not tried. */
  runs: boolean | null
  /** Reason why a small program of it failed. */
  problem: string | null
}

export interface TriedBackend {
  name: BackendName
  summary: string
  ok: boolean
  detail: string
  promises: PlainObject
  /** Guarantees that it lacks, in a few words. */
  weaknesses: readonly string[]
  fix: string | null
}

/** All checks of a machine. */
export interface DoctorReport {
  /** False if a needed check failed. */
  ok: boolean
  checks: readonly CheckRecord[]
  languages: readonly TriedLanguage[]
  backends: readonly TriedBackend[]
}
