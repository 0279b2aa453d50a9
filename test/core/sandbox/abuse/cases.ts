import type { Probe } from './case.ts'
import { FILES } from './probes/files.ts'
import { KERNEL } from './probes/kernel.ts'
import { NETWORK } from './probes/network.ts'
import { PROCESSES } from './probes/processes.ts'
import { SECRETS } from './probes/secrets.ts'

export const PROBES: readonly Probe[] = [...FILES, ...NETWORK, ...PROCESSES, ...KERNEL, ...SECRETS]
