import { defineSettings } from './define-settings.ts'

/** Settings that affect decisions about runs and their records. */
export const POLICY_KEYS = defineSettings([
  {
    key: 'repositories',
    setBy: 'trusted project',
    type: 'repositories',
    description: 'Folders in which programs may run, by name: a path, or path and mode',
    default: {},
  },
  {
    key: 'run.max_concurrent',
    setBy: 'trusted project',
    type: 'count',
    description:
      'Maximum of concurrent runs in one process (default: one per core, at least 8; a server: two per core, at least 4; a worker: two per core)',
    default: undefined,
  },
  {
    key: 'run.max_waiting',
    setBy: 'trusted project',
    type: 'count',
    description:
      'Maximum of waiting runs in one process; more are rejected (default: 1024; a server: 64)',
    default: undefined,
  },
  {
    key: 'run.max_detached',
    setBy: 'project, to restrict',
    type: 'count',
    description: 'Maximum of concurrent detached runs of one caller; more are rejected',
    default: 8,
  },
  {
    key: 'runtime.enabled',
    setBy: 'trusted project',
    type: 'flag',
    description: 'Allow programs to run (runtime.execute)',
    default: true,
  },
  {
    key: 'policy.file',
    setBy: 'project',
    type: 'path',
    description: "Operator's policy file (default: policy.toml in the user's configuration folder)",
    default: undefined,
  },
  {
    key: 'audit.contents',
    setBy: 'trusted project',
    type: 'flag',
    description:
      'Store code, arguments and input of runs in the audit log, in addition to their digests',
    default: false,
  },
  {
    key: 'audit.ttl',
    setBy: 'user',
    type: 'duration',
    description:
      'Time after which records are removed from the audit log, file by file (default: never)',
    default: undefined,
  },
  {
    key: 'audit.quota',
    setBy: 'user',
    type: 'bytes',
    description:
      'Size of all files of the audit log, beyond which the oldest are removed (default: unlimited)',
    default: undefined,
  },
])
