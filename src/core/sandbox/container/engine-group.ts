import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ControlGroup, GroupLimits } from '../cgroups/control-group.ts'
import { orUndefined, readCounter } from '../cgroups/cgroup-files.ts'
import { findHierarchy1, findHierarchy2 } from '../cgroups/cgroup-mounts.ts'

/**
 * The control group that an engine created, found through its first process. Its limits count only
 * if the kernel shows them.
 */
export class EngineGroup implements ControlGroup {
  kind: ControlGroup['kind'] = 'cgroup2'
  folders: readonly string[] = []
  cpuMs: ControlGroup['cpuMs'] = undefined
  /** True if both limits are applied. */
  isLimited = false
  #limits: Pick<GroupLimits, 'memoryBytes' | 'processes'>
  #memory = ''
  #pids = ''

  constructor(limits: Pick<GroupLimits, 'memoryBytes' | 'processes'>) {
    this.#limits = limits
  }

  /** The engine has already added the process; this finds its group. */
  async add(pid: number): Promise<void> {
    const { memoryBytes, processes } = this.#limits
    const unified = findHierarchy2(['memory', 'pids'])
    if (unified) this.#memory = this.#pids = resolveGroupFolder(pid, unified.top, '')
    else {
      this.kind = 'cgroup1'
      this.#memory = resolveGroupFolder(pid, findHierarchy1('memory')?.top, 'memory')
      this.#pids = resolveGroupFolder(pid, findHierarchy1('pids')?.top, 'pids')
    }
    const limit = join(this.#memory, unified ? 'memory.max' : 'memory.limit_in_bytes')
    this.isLimited =
      isLimitApplied(limit, memoryBytes) && isLimitApplied(join(this.#pids, 'pids.max'), processes)
    // Without limits, the group may be shared with other processes.
    if (this.isLimited)
      this.cpuMs = unified ? () => this.#readVersion2Time() : createVersion1Timer(pid)
  }

  #readVersion2Time(): number {
    return readCounter(join(this.#memory, 'cpu.stat'), 'usage_usec') / 1000
  }

  memoryKills(): number {
    const file = this.kind === 'cgroup2' ? 'memory.events' : 'memory.oom_control'
    return this.isLimited ? readCounter(join(this.#memory, file), 'oom_kill') : 0
  }

  /** The engine removes the group with the container: then the number is unknown. */
  peakMemoryBytes(): number | undefined {
    const file = this.kind === 'cgroup2' ? 'memory.peak' : 'memory.max_usage_in_bytes'
    return this.isLimited ? readNumber(join(this.#memory, file)) : undefined
  }

  peakProcesses(): number | undefined {
    return this.isLimited ? readNumber(join(this.#pids, 'pids.peak')) : undefined
  }

  totalHit(): boolean {
    return false
  }

  refusedProcesses(): number {
    return this.isLimited ? readCounter(join(this.#pids, 'pids.events'), 'max') : 0
  }

  async remove(): Promise<void> {}
}

function createVersion1Timer(pid: number): () => number {
  const folder = resolveGroupFolder(pid, findHierarchy1('cpuacct')?.top, 'cpuacct')
  return () => readCounter(join(folder, 'cpuacct.usage')) / 1e6
}

/** The folder of a process's group in one hierarchy; an empty controller is version 2. */
export function resolveGroupFolder(
  pid: number,
  top: string | undefined,
  controller: string,
): string {
  const lines = readFileSync(`/proc/${pid}/cgroup`, 'utf8').split('\n')
  const line = lines.find((each) => each.split(':')[1]?.split(',').includes(controller))
  return join(top ?? '/', line?.split(':').slice(2).join(':') ?? '')
}

function readNumber(file: string): number | undefined {
  try {
    return orUndefined(Number(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

/** True if the kernel shows a limit that is not above the requested one. */
function isLimitApplied(file: string, most: number): boolean {
  return existsSync(file) && Number(readFileSync(file, 'utf8')) <= most
}
