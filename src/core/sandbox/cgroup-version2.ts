import { existsSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GroupLimits, KernelGroup } from './cgroup.ts'
import { MOST_LEFT, readCounter, readNumber, setLimit } from './cgroup-files.ts'
import { enableControllers, findHome } from './cgroup-home.ts'
import { makeBelowTotal, type MemoryFiles } from './cgroup-total.ts'

/** Against the 100 of each process outside. */
const CPU_WEIGHT = { first: 100, later: 25 }

const MEMORY: MemoryFiles = {
  limit: 'memory.max',
  usage: 'memory.current',
  set: (folder, bytes) => {
    setLimit(folder, 'memory.max', bytes)
    if (existsSync(join(folder, 'memory.swap.max'))) setLimit(folder, 'memory.swap.max', 0)
  },
}

/** One group below the nearest one where this process may make groups. */
export function makeVersion2(name: string, limits: GroupLimits, made: string[]): KernelGroup {
  const parent = findHome()
  if (parent === undefined) throw new Error('no group may be made')
  const bytes = limits.totalMemoryBytes
  const total = { parent, memory: MEMORY, bytes, prepare: enableControllers }
  const folder = makeBelowTotal(total, name, made)
  MEMORY.set(folder, limits.memoryBytes)
  setLimit(folder, 'pids.max', limits.processes)
  writeFileSync(join(folder, 'memory.oom.group'), '1')
  const weight = join(folder, 'cpu.weight')
  const setWeight = (value: number) => {
    if (existsSync(weight)) writeFileSync(weight, String(value))
  }
  setWeight(CPU_WEIGHT.first)
  const count = (file: string, what: string) => readCounter(join(folder, file), what)
  const usedMs = () => count('cpu.stat', 'usage_usec') / 1000
  let usedBefore = 0
  return {
    kind: 'cgroup2',
    folders: [folder],
    add: async (pid) => await writeFile(join(folder, 'cgroup.procs'), String(pid)),
    memoryHit: () => count('memory.events', 'oom_kill') > 0,
    totalHit: () => count('memory.events', 'oom') === 0,
    refusedProcesses: () => count('pids.events', 'max'),
    cpuMs: () => usedMs() - usedBefore,
    yield: () => setWeight(CPU_WEIGHT.later),
    renew: () => {
      // These count up for ever.
      if (count('memory.events', 'oom') + count('memory.events', 'oom_kill') > 0) return false
      if (count('pids.events', 'max') > 0) return false
      if (readNumber(join(folder, 'pids.current')) !== 0) return false
      if (!(readNumber(join(folder, 'memory.current')) <= MOST_LEFT)) return false
      usedBefore = usedMs()
      setWeight(CPU_WEIGHT.first)
      return true
    },
  }
}
