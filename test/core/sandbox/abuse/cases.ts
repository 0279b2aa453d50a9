import type { AttackProbe, RunCase } from './case.ts'
import { FILES } from './probes/files.ts'
import { HOST_INODES } from './probes/host-inodes.ts'
import { HOST_PATHS } from './probes/host-paths.ts'
import { HOST_FACTS } from './probes/host-facts.ts'
import { KERNEL } from './probes/kernel.ts'
import { NETWORK } from './probes/network.ts'
import { PROCESSES } from './probes/processes.ts'
import { SECRETS as CALLERS_SECRETS, SECRETS_OF_OTHERS } from './probes/secrets.ts'
import { CHANNEL } from './runs/channel.ts'
import { HOST_FILES } from './runs/host-files.ts'
import { IMPORTS } from './runs/imports.ts'
import { LIMITS } from './runs/limits.ts'
import { MEMORY_LIMITS } from './runs/memory-limits.ts'
import { LOGS } from './runs/logs.ts'
import { PROCESS_RUNS } from './runs/processes.ts'
import { RESULTS } from './runs/results.ts'
import { SECRETS } from './runs/secrets.ts'

/** Many attacks per run. */
export const PROBES: readonly AttackProbe[] = [
  FILES,
  HOST_INODES,
  HOST_PATHS,
  NETWORK,
  PROCESSES,
  KERNEL,
  HOST_FACTS,
  CALLERS_SECRETS,
  SECRETS_OF_OTHERS,
].flat()

/** One attack per run. */
export const RUN_CASES: readonly RunCase[] = [
  MEMORY_LIMITS,
  LIMITS,
  CHANNEL,
  RESULTS,
  LOGS,
  PROCESS_RUNS,
  IMPORTS,
  SECRETS,
  HOST_FILES,
].flat()
