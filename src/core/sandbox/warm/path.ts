/** Reason for a cold start; used in sentences and as a metrics label. */
export type ColdReason =
  | 'single call'
  | 'starting'
  | 'restarting'
  | 'network'
  | 'folders'
  | 'tools'
  | 'other interpreter'
  | 'not possible here'
  | 'did not start'
  | 'other backend'

/** Reason for a warm start. */
export const WARM_REASON = 'zygote'

/** Path that a run took, and the reason. */
export type SandboxPath =
  | { path: 'warm'; reason: typeof WARM_REASON }
  | { path: 'cold'; reason: ColdReason }
