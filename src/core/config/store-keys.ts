const GIB = 1024 ** 3
const MIB = 1024 ** 2
const DAY = 86_400_000

/**
 * Settings of storage: content, size and retention; one row each, as in the table of all settings.
 */
export const STORE_KEYS = [
  {
    key: 'store.blobs.max_blob_size',
    field: ['store', 'blobs', 'maxBlobBytes'],
    setBy: 'trusted project',
    type: 'bytes',
    description: 'Size of one blob',
    default: 8 * GIB,
  },
  {
    key: 'store.blobs.quota',
    field: ['store', 'blobs', 'quotaBytes'],
    setBy: 'trusted project',
    type: 'bytes',
    description: 'Size of all blobs; beyond it new ones are rejected',
    default: 16 * GIB,
  },
  {
    key: 'store.blobs.ttl',
    field: ['store', 'blobs', 'ttlMs'],
    setBy: 'trusted project',
    type: 'duration',
    description: 'Retention time of a blob',
    default: 7 * DAY,
  },
  {
    key: 'store.created.max_skills',
    field: ['store', 'created', 'maxSkills'],
    setBy: 'trusted project',
    type: 'count',
    description: 'Maximum of uploaded skill versions',
    default: 10_000,
  },
  {
    key: 'store.created.quota',
    field: ['store', 'created', 'quotaBytes'],
    setBy: 'trusted project',
    type: 'bytes',
    description: 'Size on disk of all uploaded skills',
    default: GIB,
  },
  {
    key: 'store.runs.quota',
    field: ['store', 'runs', 'quotaBytes'],
    setBy: 'trusted project',
    type: 'bytes',
    description: 'Size of all run records; beyond it the oldest are removed',
    default: GIB,
  },
  {
    key: 'store.runs.ttl',
    field: ['store', 'runs', 'ttlMs'],
    setBy: 'trusted project',
    type: 'duration',
    description: 'Retention time of a run record',
    default: 30 * DAY,
  },
  {
    key: 'store.outputs.max_output_size',
    field: ['store', 'outputs', 'maxOutputBytes'],
    setBy: 'trusted project',
    type: 'bytes',
    description: 'Compressed size of the output of one run; beyond it none of it is stored',
    default: 512 * MIB,
  },
  {
    key: 'store.outputs.quota',
    field: ['store', 'outputs', 'quotaBytes'],
    setBy: 'trusted project',
    type: 'bytes',
    description: 'Compressed size of all stored outputs; beyond it the oldest are removed',
    default: 4 * GIB,
  },
  {
    key: 'store.outputs.ttl',
    field: ['store', 'outputs', 'ttlMs'],
    setBy: 'trusted project',
    type: 'duration',
    description: 'Retention time of the output of a run',
    default: 7 * DAY,
  },
] as const
