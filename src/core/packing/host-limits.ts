/** Limits of a host that takes skills, by the pages of its vendor. */
export interface HostLimit {
  host: string
  /** Files of a skill. */
  files?: number
  /** Bytes of all files. */
  bytes?: number
  /** Bytes of an archive. */
  archiveBytes?: number
}

const MIB = 1024 ** 2

export const HOST_LIMITS: readonly HostLimit[] = [
  { host: 'clients of MCP', files: 512, bytes: 16 * MIB },
  { host: 'npx skills', files: 1000, bytes: 25 * MIB, archiveBytes: 10 * MIB },
  { host: 'the Claude API', bytes: 30_000_000 },
]

/** A limit that a skill exceeds. */
export interface ExceededLimit {
  host: string
  limit: 'files' | 'bytes' | 'archiveBytes'
  max: number
  actual: number
}

/** Finds the hosts that would not take a skill of this size. */
export function findExceededLimits(sizes: {
  files: number
  bytes: number
  /** Size of the largest archive. */
  archiveBytes: number
}): ExceededLimit[] {
  return HOST_LIMITS.flatMap(({ host, ...limits }) =>
    (['files', 'bytes', 'archiveBytes'] as const).flatMap((limit) => {
      const max = limits[limit] ?? Infinity
      return sizes[limit] > max ? [{ host, limit, max, actual: sizes[limit] }] : []
    }),
  )
}
