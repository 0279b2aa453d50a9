/** Bounds of kernels: interpreters that keep the variables of a caller. */
export const KERNEL_KEYS = [
  {
    key: 'kernel.max_per_caller',
    field: ['kernel', 'maxPerCaller'],
    setBy: 'project, to restrict',
    type: 'count',
    description: 'Maximum of living kernels of one caller; more are rejected',
    default: 4,
  },
  {
    key: 'kernel.max',
    field: ['kernel', 'max'],
    setBy: 'project, to restrict',
    type: 'count',
    description:
      'Maximum of living kernels of one process; beyond it the least recently used idle one is ended',
    default: 32,
  },
  {
    key: 'kernel.idle',
    field: ['kernel', 'idleMs'],
    setBy: 'project, to restrict',
    type: 'duration',
    description: 'Time without a cell after which a kernel is ended',
    default: 1_800_000,
  },
  {
    key: 'kernel.memory',
    field: ['kernel', 'memoryBytes'],
    setBy: 'trusted project',
    type: 'bytes',
    description:
      'Memory of all processes of a kernel, its files in memory included (default: run.limits.memory)',
    default: undefined,
  },
  {
    key: 'kernel.processes',
    field: ['kernel', 'processes'],
    setBy: 'trusted project',
    type: 'count',
    description: 'Processes and threads of a kernel (default: run.limits.processes)',
    default: undefined,
  },
  {
    key: 'kernel.cpu_time',
    field: ['kernel', 'cpuMs'],
    setBy: 'project, to restrict',
    type: 'duration',
    description: 'CPU time of each process of a kernel, over all of its cells',
    default: 3_600_000,
  },
] as const
