/** How `read_blob` samples, and how many bytes it gives. */
export const READ_MODES = ['sample_head', 'sample_tail', 'full'] as const
export const DEFAULT_MAX_BYTES = 2000
