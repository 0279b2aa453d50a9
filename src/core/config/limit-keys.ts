import { defineSettings } from './define-settings.ts'

const MIB = 1024 ** 2
const GIB = 1024 ** 3

/** Limits of a run. */
export const LIMIT_KEYS = defineSettings([
  {
    key: 'run.limits.cpu_time',
    name: 'cpuMs',
    setBy: 'project, to restrict',
    type: 'duration',
    description: 'CPU time of a run, or of each of its processes without a control group',
    default: 300_000,
  },
  {
    key: 'run.limits.memory',
    setBy: 'project, to restrict',
    type: 'bytes',
    description: 'Memory of all processes of a run, its files in memory included',
    default: 512 * MIB,
  },
  {
    key: 'run.limits.total_memory',
    setBy: 'trusted project',
    type: 'bytes',
    description:
      "Memory of all runs on this machine (default: three quarters of the machine's memory)",
    default: undefined,
  },
  {
    key: 'run.limits.processes',
    setBy: 'project, to restrict',
    type: 'count',
    description: 'Processes and threads of a run',
    default: 256,
  },
  {
    key: 'run.limits.workspace',
    setBy: 'project, to restrict',
    type: 'bytes',
    description: 'Size of /workspace',
    default: 256 * MIB,
  },
  {
    key: 'run.limits.output',
    setBy: 'project, to restrict',
    type: 'bytes',
    description: 'Output of a run',
    default: 8 * MIB,
  },
  {
    key: 'run.limits.network_bytes',
    name: 'networkBytes',
    setBy: 'project, to restrict',
    type: 'bytes',
    description:
      'Bytes that a run sends and receives over its network, in both directions together',
    default: GIB,
  },
])
