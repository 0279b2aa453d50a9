/** Why a run had a sandbox of its own from the start, in words that fit a sentence and a label. */
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

/** Why a run was forked. */
export const WARM_REASON = 'zygote'

/** How a run came to its sandbox, and why. */
export type SandboxPath =
  | { path: 'warm'; reason: typeof WARM_REASON }
  | { path: 'cold'; reason: ColdReason }
