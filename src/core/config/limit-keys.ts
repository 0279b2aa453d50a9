const MIB = 1024 ** 2
const GIB = 1024 ** 3

/** Limits of a run; one row each, as in the table of all settings. */
export const LIMIT_KEYS = [
  {
    key: 'run.limits.cpu_time',
    field: ['run', 'limits', 'cpuMs'],
    setBy: 'project, to restrict',
    type: 'duration',
    description: 'CPU time of a run, or of each of its processes without a control group',
    default: 300_000,
  },
  {
    key: 'run.limits.memory',
    field: ['run', 'limits', 'memoryBytes'],
    setBy: 'project, to restrict',
    type: 'bytes',
    description: 'Memory of all processes of a run, its files in memory included',
    default: 512 * MIB,
  },
  {
    key: 'run.limits.total_memory',
    field: ['run', 'limits', 'totalMemoryBytes'],
    setBy: 'trusted project',
    type: 'bytes',
    description:
      "Memory of all runs on this machine (default: three quarters of the machine's memory)",
    default: undefined,
  },
  {
    key: 'run.limits.processes',
    field: ['run', 'limits', 'processes'],
    setBy: 'project, to restrict',
    type: 'count',
    description: 'Processes and threads of a run',
    default: 64,
  },
  {
    key: 'run.limits.workspace',
    field: ['run', 'limits', 'workspaceBytes'],
    setBy: 'project, to restrict',
    type: 'bytes',
    description: 'Size of /workspace',
    default: 256 * MIB,
  },
  {
    key: 'run.limits.output',
    field: ['run', 'limits', 'outputBytes'],
    setBy: 'project, to restrict',
    type: 'bytes',
    description: 'Output of a run',
    default: 8 * MIB,
  },
  {
    key: 'run.limits.network_bytes',
    field: ['run', 'limits', 'networkBytes'],
    setBy: 'project, to restrict',
    type: 'bytes',
    description:
      'Bytes that a run sends and receives over its network, in both directions together',
    default: GIB,
  },
] as const
