import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ControlGroup, GroupLimits } from '../cgroups/control-group.ts'
import { readCounter } from '../cgroups/cgroup-files.ts'
import { hierarchyOf1, hierarchyOf2 } from '../cgroups/cgroup-mounts.ts'

/** The group that an engine made: found when its first process is known, and judged by the kernel. */
export class EngineGroup implements ControlGroup {
  kind: ControlGroup['kind'] = 'cgroup2'
  folders: readonly string[] = []
  cpuMs: ControlGroup['cpuMs'] = undefined
  /** Both limits are set on it. */
  holds = false
  #limits: Pick<GroupLimits, 'memoryBytes' | 'processes'>
  #memory = ''
  #pids = ''

  constructor(limits: Pick<GroupLimits, 'memoryBytes' | 'processes'>) {
    this.#limits = limits
  }

  /** The engine has added it already: only looks where that is. */
  async add(pid: number): Promise<void> {
    const { memoryBytes, processes } = this.#limits
    const both = hierarchyOf2(['memory', 'pids'])
    if (both) this.#memory = this.#pids = folderOf(pid, both.top, '')
    else {
      this.kind = 'cgroup1'
      this.#memory = folderOf(pid, hierarchyOf1('memory')?.top, 'memory')
      this.#pids = folderOf(pid, hierarchyOf1('pids')?.top, 'pids')
    }
    const limit = join(this.#memory, both ? 'memory.max' : 'memory.limit_in_bytes')
    this.holds = bounds(limit, memoryBytes) && bounds(join(this.#pids, 'pids.max'), processes)
    // Otherwise it is a group that others are in as well.
    if (this.holds) this.cpuMs = both ? () => this.#time2() : timeOf1(pid)
  }

  #time2(): number {
    return readCounter(join(this.#memory, 'cpu.stat'), 'usage_usec') / 1000
  }

  memoryHit(): boolean {
    const file = this.kind === 'cgroup2' ? 'memory.events' : 'memory.oom_control'
    return this.holds && readCounter(join(this.#memory, file), 'oom_kill') > 0
  }

  totalHit(): boolean {
    return false
  }

  refusedProcesses(): number {
    return this.holds ? readCounter(join(this.#pids, 'pids.events'), 'max') : 0
  }

  async remove(): Promise<void> {}
}

function timeOf1(pid: number): () => number {
  const folder = folderOf(pid, hierarchyOf1('cpuacct')?.top, 'cpuacct')
  return () => readCounter(join(folder, 'cpuacct.usage')) / 1e6
}

function folderOf(pid: number, top: string | undefined, controller: string): string {
  const lines = readFileSync(`/proc/${pid}/cgroup`, 'utf8').split('\n')
  const line = lines.find((each) => each.split(':')[1]?.split(',').includes(controller))
  return join(top ?? '/', line?.split(':').slice(2).join(':') ?? '')
}

/** Whether the kernel shows a limit that is no higher. */
function bounds(file: string, most: number): boolean {
  return existsSync(file) && Number(readFileSync(file, 'utf8')) <= most
}
