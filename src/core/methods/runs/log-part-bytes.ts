/** Bytes of the logs in one answer. The least holds any character. */
export const LOG_PART_BYTES = { least: 16, usual: 16 * 1024, most: 256 * 1024 } as const
