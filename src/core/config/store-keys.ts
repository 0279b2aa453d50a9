const GIB = 1024 ** 3
const DAY = 86_400_000

/**
 * Settings of storage: content, size and retention; one row each, as in the table of all settings.
 */
export const STORE_KEYS = [
  {
    key: 'store.quota',
    field: ['store', 'quotaBytes'],
    setBy: 'trusted project',
    type: 'bytes',
    description:
      'Size of all blobs, and of all workspaces; outputs of programs have a quarter of it, run records and uploaded skills a sixteenth each',
    default: 16 * GIB,
  },
  {
    key: 'store.ttl',
    field: ['store', 'ttlMs'],
    setBy: 'trusted project',
    type: 'duration',
    description:
      'Retention time of a blob, of the output of a program, and of a workspace and its artifacts after their last use',
    default: 7 * DAY,
  },
  {
    key: 'store.runs.ttl',
    field: ['store', 'runsTtlMs'],
    setBy: 'trusted project',
    type: 'duration',
    description: 'Retention time of a run record',
    default: 30 * DAY,
  },
] as const
