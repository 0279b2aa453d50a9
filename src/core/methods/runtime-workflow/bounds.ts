export const MAX_STEPS = 50
/** Milliseconds for all steps together. */
export const TIMEOUT_BOUNDS = [1000, 300_000] as const
export const DEFAULT_TIMEOUT_MS = 60_000
