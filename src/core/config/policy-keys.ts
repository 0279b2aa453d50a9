/**
 * Settings that affect decisions about runs and their records; one row each, as in the table of all
 * settings.
 */
export const POLICY_KEYS = [
  {
    key: 'repositories',
    field: ['repositories'],
    type: 'repositories',
    description: 'Folders that programs may be run in, by name: a path, or path and mode',
    default: {},
  },
  {
    key: 'run.max_concurrent',
    field: ['run', 'maxConcurrent'],
    type: 'count',
    description: 'Runs at the same time in one process but a server; at least 8, or one a core',
    default: undefined,
  },
  {
    key: 'run.max_waiting',
    field: ['run', 'maxWaiting'],
    type: 'count',
    description: 'Runs that may wait for their turn there; more are refused',
    default: 1024,
  },
  {
    key: 'runtime.enabled',
    field: ['runtime', 'enabled'],
    type: 'flag',
    description: 'Whether programs may be run at all (runtime.execute)',
    default: true,
  },
  {
    key: 'policy.file',
    field: ['policy', 'file'],
    type: 'path',
    description: "The operator's policy; policy.toml in your configuration folder unless given",
    default: undefined,
  },
  {
    key: 'audit.contents',
    field: ['audit', 'contents'],
    type: 'flag',
    description: 'Keep code, arguments and input of runs in the audit log besides their digests',
    default: false,
  },
  {
    key: 'audit.max_file',
    field: ['audit', 'maxFileBytes'],
    type: 'bytes',
    description: 'Size at which the audit log goes on in a new file',
    default: 64 * 1024 ** 2,
  },
  {
    key: 'audit.ttl',
    field: ['audit', 'ttlMs'],
    type: 'duration',
    description:
      'Time after which records may leave the audit log, file by file; never unless given',
    default: undefined,
  },
  {
    key: 'audit.quota',
    field: ['audit', 'quotaBytes'],
    type: 'bytes',
    description: 'Size of all files of the audit log, beyond which the oldest go; any unless given',
    default: undefined,
  },
] as const
