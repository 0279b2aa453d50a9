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
    type: 'bytes',
    description: 'Size of one blob',
    default: 8 * GIB,
  },
  {
    key: 'store.blobs.quota',
    field: ['store', 'blobs', 'quotaBytes'],
    type: 'bytes',
    description: 'Size of all blobs together; beyond it none is stored',
    default: 16 * GIB,
  },
  {
    key: 'store.blobs.ttl',
    field: ['store', 'blobs', 'ttlMs'],
    type: 'duration',
    description: 'How long a blob is kept',
    default: 7 * DAY,
  },
  {
    key: 'store.created.max_skills',
    field: ['store', 'created', 'maxSkills'],
    type: 'count',
    description: 'Versions of skills that may be kept of those that came by create_skill',
    default: 10_000,
  },
  {
    key: 'store.created.quota',
    field: ['store', 'created', 'quotaBytes'],
    type: 'bytes',
    description: 'Size on disk of all skills together that came by create_skill',
    default: GIB,
  },
  {
    key: 'store.runs.quota',
    field: ['store', 'runs', 'quotaBytes'],
    type: 'bytes',
    description: 'Size of all run records together; beyond it the oldest ones go',
    default: GIB,
  },
  {
    key: 'store.runs.ttl',
    field: ['store', 'runs', 'ttlMs'],
    type: 'duration',
    description: 'How long the record of a run is kept',
    default: 30 * DAY,
  },
  {
    key: 'store.outputs.max_output_size',
    field: ['store', 'outputs', 'maxOutputBytes'],
    type: 'bytes',
    description: 'Size of what one run printed, compressed; beyond it nothing of it is kept',
    default: 512 * MIB,
  },
  {
    key: 'store.outputs.quota',
    field: ['store', 'outputs', 'quotaBytes'],
    type: 'bytes',
    description: 'Size of all kept outputs together, compressed; beyond it the oldest ones go',
    default: 4 * GIB,
  },
  {
    key: 'store.outputs.ttl',
    field: ['store', 'outputs', 'ttlMs'],
    type: 'duration',
    description: 'How long the output of a run is kept',
    default: 7 * DAY,
  },
] as const
