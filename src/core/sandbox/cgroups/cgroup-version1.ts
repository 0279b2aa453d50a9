import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { GroupLimits, KernelGroup } from './control-group.ts'
import { makeGroup, MOST_LEFT, setLimit } from './cgroup-files.ts'
import { hierarchyOf1 } from './cgroup-mounts.ts'
import { makeBelowTotal, type MemoryFiles } from './cgroup-total.ts'
import { GroupFile } from './group-file.ts'

/** Against the 1,024 of each process outside, which is what the kernel gives to a new group. */
const CPU_SHARES = { first: 1024, later: 256 }

/** Tells whose limit was reached; newer kernels count no failures of version 1. */
const PEAK = 'memory.max_usage_in_bytes'
/** What is refused was at most this much. */
const CHARGED_AT_ONCE = 1024 ** 2

const MEMORY: MemoryFiles = {
  limit: 'memory.limit_in_bytes',
  usage: 'memory.usage_in_bytes',
  set: (folder, bytes) => {
    setLimit(folder, 'memory.limit_in_bytes', bytes)
    // Only after the limit itself, which it may not be below; not there without swap accounting.
    const withSwap = 'memory.memsw.limit_in_bytes'
    if (existsSync(join(folder, withSwap))) setLimit(folder, withSwap, bytes)
  },
}

/** Folders that groups of runs lie in. */
export function parentsOf1(): string[] {
  return ['memory', 'pids', 'cpuacct', 'cpu'].flatMap((each) => hierarchyOf1(each)?.own ?? [])
}

/** One group in each hierarchy that has something to bound or to count. */
export function makeVersion1(name: string, limits: GroupLimits, made: string[]): KernelGroup {
  const parent = ownGroup('memory')
  const total = { parent, memory: MEMORY, bytes: limits.totalMemoryBytes }
  const memory = makeBelowTotal(total, name, made)
  MEMORY.set(memory, limits.memoryBytes)
  const pids = makeGroup(join(ownGroup('pids'), name), made)
  setLimit(pids, 'pids.max', limits.processes)
  const time = makeIfPossible('cpuacct', name, made)
  const share = makeIfPossible('cpu', name, made)
  const folders = [...new Set([memory, pids, time, share].filter((each) => each !== undefined))]
  return counting({ memory, pids, time, share, folders }, limits)
}

interface Folders {
  memory: string
  pids: string
  time: string | undefined
  share: string | undefined
  folders: readonly string[]
}

function counting(
  { memory, pids, time, share, folders }: Folders,
  limits: GroupLimits,
): KernelGroup {
  const [first, ...others] = folders.map((each) => new GroupFile(join(each, 'cgroup.procs'), 'w'))
  const hits = new GroupFile(join(memory, 'memory.oom_control'))
  const peak = new GroupFile(join(memory, PEAK), 'r+')
  const refusals = new GroupFile(join(pids, 'pids.events'))
  const living = new GroupFile(join(pids, 'pids.current'))
  const used = time === undefined ? undefined : new GroupFile(join(time, 'cpuacct.usage'), 'r+')
  const shares = share === undefined ? undefined : new GroupFile(join(share, 'cpu.shares'), 'w')
  const opened = [first, ...others, hits, peak, refusals, living, used, shares]
  let hasYielded = false
  return {
    kind: 'cgroup1',
    folders,
    add: async (pid) => {
      // The kernel lets the first one wait until nobody forks; the others follow at once.
      await first?.writeLater(pid)
      for (const each of others) each.write(pid)
    },
    memoryHit: () => hits.count('oom_kill') > 0,
    totalHit: () => peak.count() < limits.memoryBytes - CHARGED_AT_ONCE,
    refusedProcesses: () => refusals.count('max'),
    cpuMs: used && (() => used.count() / 1e6),
    yield: () => {
      hasYielded = true
      shares?.write(CPU_SHARES.later)
    },
    close: () => {
      for (const each of opened) each?.close()
    },
    renew: () => {
      // These count up for ever.
      if (hits.count('oom_kill') > 0 || refusals.count('max') > 0) return false
      if (living.number() !== 0) return false
      peak.write(0)
      if (!(peak.number() <= MOST_LEFT)) return false
      used?.write(0)
      if (hasYielded) shares?.write(CPU_SHARES.first)
      hasYielded = false
      return true
    },
  }
}

function ownGroup(controller: string): string {
  const found = hierarchyOf1(controller)
  if (!found) throw new Error(`no hierarchy has the controller "${controller}"`)
  return found.own
}

/** What is only counted or shared out is done without where it cannot be had. */
function makeIfPossible(controller: string, name: string, made: string[]): string | undefined {
  try {
    const folder = join(ownGroup(controller), name)
    return made.includes(folder) ? folder : makeGroup(folder, made)
  } catch {
    return undefined
  }
}
