import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GroupLimits, KernelGroup } from './control-group.ts'
import { MOST_LEFT, setLimit } from './cgroup-files.ts'
import { enableControllers, findHome } from './cgroup-home.ts'
import { makeBelowTotal, type MemoryFiles } from './cgroup-total.ts'
import { GroupFile } from './group-file.ts'

/** Against the 100 of each process outside, which is what the kernel gives to a new group. */
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
  return counting(folder)
}

function counting(folder: string): KernelGroup {
  const fileOf = (name: string, mode?: 'w') => new GroupFile(join(folder, name), mode)
  const members = fileOf('cgroup.procs', 'w')
  const memory = fileOf('memory.events')
  const held = fileOf('memory.current')
  const refusals = fileOf('pids.events')
  const living = fileOf('pids.current')
  const time = fileOf('cpu.stat')
  const weight = existsSync(join(folder, 'cpu.weight')) ? fileOf('cpu.weight', 'w') : undefined
  const opened = [members, memory, held, refusals, living, time, weight]
  let usedBefore = 0
  const cpuMs = () => time.count('usage_usec') / 1000 - usedBefore
  let hasYielded = false
  return {
    kind: 'cgroup2',
    folders: [folder],
    add: async (pid) => await members.writeLater(pid),
    memoryHit: () => memory.count('oom_kill') > 0,
    totalHit: () => memory.count('oom') === 0,
    refusedProcesses: () => refusals.count('max'),
    cpuMs,
    yield: () => {
      hasYielded = true
      weight?.write(CPU_WEIGHT.later)
    },
    close: () => {
      for (const each of opened) each?.close()
    },
    renew: () => {
      // These count up for ever.
      if (memory.count('oom') + memory.count('oom_kill') + refusals.count('max') > 0) return false
      if (living.number() !== 0 || !(held.number() <= MOST_LEFT)) return false
      usedBefore += cpuMs()
      if (hasYielded) weight?.write(CPU_WEIGHT.first)
      hasYielded = false
      return true
    },
  }
}
