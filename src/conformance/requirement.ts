import type { ConformanceSession } from './session.ts'

/** `must` and `should` follow the specification; `extension` covers what it does not define. */
export const LEVELS = ['must', 'should', 'extension'] as const
export type RequirementLevel = (typeof LEVELS)[number]

/** The page of the specification. `JSON-RPC 2.0` and `Toolkit` mark requirements beyond it. */
type SpecificationPage =
  | 'Full Specification'
  | 'JSON-RPC Conventions'
  | 'Execution Methods'
  | 'JSON-RPC 2.0'
  | 'Toolkit'

/** A requirement on a runtime and its black-box check. */
export interface Requirement {
  /** `<area>/<name>`. */
  id: string
  level: RequirementLevel
  page: SpecificationPage
  /** The requirement as one sentence. */
  text: string
  /** Ids of requirements that must pass first, because their failures would look the same. */
  needs?: readonly string[]
  /** Throws RequirementFailed or RequirementUntested. */
  check(session: ConformanceSession): Promise<void>
}
