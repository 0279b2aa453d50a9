import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GroupLimits, KernelGroup } from './control-group.ts'
import { MAX_RESIDUAL_BYTES, setLimit } from './cgroup-files.ts'
import { enableControllers, findParentGroup } from './cgroup-parent.ts'
import { createBelowTotal, type MemoryFiles } from './cgroup-total.ts'
import { GroupFile } from './group-file.ts'
import { GroupWeight } from './group-weight.ts'
import { PeakMemory } from './peak-memory.ts'
import { PeakProcesses } from './peak-processes.ts'

/** `first` is the kernel's default of a new group. */
const CPU_WEIGHT = { first: 100, long: 25, several: 6 }

const MEMORY_FILES_V2: MemoryFiles = {
  limit: 'memory.max',
  usage: 'memory.current',
  set: (folder, bytes) => {
    setLimit(folder, 'memory.max', bytes)
    if (existsSync(join(folder, 'memory.swap.max'))) setLimit(folder, 'memory.swap.max', 0)
  },
}

/** Creates one group below the nearest group that this process may use. */
export function createVersion2Group(
  name: string,
  limits: GroupLimits,
  created: string[],
): KernelGroup {
  const parent = findParentGroup()
  if (parent === undefined) throw new Error('no control group can be created')
  const bytes = limits.totalMemoryBytes
  const total = { parent, memory: MEMORY_FILES_V2, bytes, prepare: enableControllers }
  const folder = createBelowTotal(total, name, created)
  MEMORY_FILES_V2.set(folder, limits.memoryBytes)
  setLimit(folder, 'pids.max', limits.processes)
  writeFileSync(join(folder, 'memory.oom.group'), '1')
  return openVersion2Group(folder)
}

function openVersion2Group(folder: string): KernelGroup {
  const openFile = (name: string, mode?: 'w') => new GroupFile(join(folder, name), mode)
  const members = openFile('cgroup.procs', 'w')
  const memoryEvents = openFile('memory.events')
  const memoryUsage = openFile('memory.current')
  const memoryPeak = new PeakMemory(folder)
  const pidEvents = openFile('pids.events')
  const pidCount = openFile('pids.current')
  const pidPeak = new PeakProcesses(folder)
  const time = openFile('cpu.stat')
  const weights = existsSync(join(folder, 'cpu.weight')) ? openFile('cpu.weight', 'w') : undefined
  const weight = new GroupWeight(weights, CPU_WEIGHT)
  const counters = [memoryEvents, memoryUsage, memoryPeak, pidEvents, pidCount, pidPeak, time]
  const opened = [members, ...counters, weights]
  let usedBefore = 0
  const cpuMs = () => time.readCount('usage_usec') / 1000 - usedBefore
  return {
    kind: 'cgroup2',
    folders: [folder],
    add: async (pid) => await members.writeAsync(pid),
    memoryKills: () => memoryEvents.readCount('oom_kill'),
    totalHit: () => memoryEvents.readCount('oom') === 0,
    refusedProcesses: () => pidEvents.readCount('max'),
    cpuMs,
    peakMemoryBytes: () => memoryPeak.read(),
    peakProcesses: () => pidPeak.read(),
    lowerPriority: (reason) => weight.lower(reason),
    close: () => {
      for (const each of opened) each?.close()
    },
    reset: () => {
      // These counters cannot be reset.
      const outOfMemory = memoryEvents.readCount('oom') + memoryEvents.readCount('oom_kill')
      if (outOfMemory + pidEvents.readCount('max') > 0) return false
      if (pidCount.readNumber() !== 0 || !(memoryUsage.readNumber() <= MAX_RESIDUAL_BYTES))
        return false
      usedBefore += cpuMs()
      memoryPeak.markReuse()
      pidPeak.markReuse()
      weight.reset()
      return true
    },
  }
}
