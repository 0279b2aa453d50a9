/** Modes and default size of a `read_blob` sample. */
export const READ_MODES = ['sample_head', 'sample_tail', 'full'] as const
export const DEFAULT_MAX_BYTES = 2000
