import type { BackendGuarantees } from './backend.ts'

/** Guarantees of the backends that isolate a whole run, by namespaces or in a container. */
export const STRICT_GUARANTEES: BackendGuarantees = {
  tier: 'strict',
  isolates: { files: true, network: true, processes: true, user: true, 'system calls': true },
  filtersNetwork: true,
  limits: {
    time: 'run',
    cpu: 'run',
    memory: 'run',
    processes: 'run',
    'open files': 'each process',
    disk: 'run',
    output: 'run',
  },
}
