import { existsSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { GroupLimits, KernelGroup } from './cgroup.ts'
import { makeGroup, MOST_LEFT, readCounter, readNumber, setLimit } from './cgroup-files.ts'
import { hierarchyOf1 } from './cgroup-mounts.ts'
import { makeBelowTotal, type MemoryFiles } from './cgroup-total.ts'

/** Against the 1,024 of each process outside. */
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
  const setShare = (value: number) => {
    if (share) writeFileSync(join(share, 'cpu.shares'), String(value))
  }
  setShare(CPU_SHARES.first)
  const folders = [...new Set([memory, pids, time, share].filter((each) => each !== undefined))]
  const refused = () => readCounter(join(pids, 'pids.events'), 'max')
  const wasHit = () => readCounter(join(memory, 'memory.oom_control'), 'oom_kill') > 0
  return {
    kind: 'cgroup1',
    folders,
    add: async (pid) => {
      const [first, ...others] = folders.map((folder) => join(folder, 'cgroup.procs'))
      // The kernel lets the first one wait until nobody forks; the others follow at once.
      if (first !== undefined) await writeFile(first, String(pid))
      for (const each of others) writeFileSync(each, String(pid))
    },
    memoryHit: wasHit,
    totalHit: () => readCounter(join(memory, PEAK)) < limits.memoryBytes - CHARGED_AT_ONCE,
    refusedProcesses: refused,
    cpuMs: time === undefined ? undefined : () => readCounter(join(time, 'cpuacct.usage')) / 1e6,
    yield: () => setShare(CPU_SHARES.later),
    renew: () => {
      // These count up for ever.
      if (wasHit() || refused() > 0) return false
      if (readNumber(join(pids, 'pids.current')) !== 0) return false
      writeFileSync(join(memory, PEAK), '0')
      if (!(readNumber(join(memory, PEAK)) <= MOST_LEFT)) return false
      if (time !== undefined) writeFileSync(join(time, 'cpuacct.usage'), '0')
      setShare(CPU_SHARES.first)
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
