import type { ConformanceSession } from './session.ts'

/** `must` and `should` as the specification says it; `extension` is what it is silent about. */
export const LEVELS = ['must', 'should', 'extension'] as const
export type RequirementLevel = (typeof LEVELS)[number]

/** The page that demands it; `JSON-RPC 2.0` and `Toolkit` stand for what goes beyond the pages. */
export type SpecificationPage =
  | 'Full Specification'
  | 'JSON-RPC Conventions'
  | 'Execution Methods'
  | 'JSON-RPC 2.0'
  | 'Toolkit'

/** One thing that can be demanded of a runtime, and how it is seen from outside. */
export interface Requirement {
  /** `area/what`. */
  id: string
  level: RequirementLevel
  page: SpecificationPage
  /** What is demanded, in a sentence. */
  text: string
  /** Others without which this one could not be told apart from them. */
  needs?: readonly string[]
  /** Throws Broken or Untried. */
  check(session: ConformanceSession): Promise<void>
}
