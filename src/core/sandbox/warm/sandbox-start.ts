/** Reason why no zygote served a run; shown in messages and used as a metrics label. */
export type ColdReason =
  | 'single call'
  | 'starting'
  | 'restarting'
  | 'network'
  | 'folders'
  | 'tools'
  | 'host packages'
  | 'interactive'
  | 'session'
  | 'other interpreter'
  | 'not possible here'
  | 'did not start'
  | 'other backend'

/** Reason that the isolation report of a forked run contains. */
export const WARM_REASON = 'zygote'

/** How a sandbox was started (`path` of the isolation report), and the reason. */
export type SandboxStart =
  | { path: 'warm'; reason: typeof WARM_REASON }
  | { path: 'cold'; reason: ColdReason }
