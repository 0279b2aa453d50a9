import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { GroupLimits, KernelGroup } from './control-group.ts'
import { createGroup, MAX_RESIDUAL_BYTES, orUndefined, setLimit } from './cgroup-files.ts'
import { findHierarchy1 } from './cgroup-mounts.ts'
import { createBelowTotal, type MemoryFiles } from './cgroup-total.ts'
import { GroupFile } from './group-file.ts'
import { PeakProcesses } from './peak-processes.ts'
import { GroupWeight } from './group-weight.ts'

/** `first` is the kernel's default of a new group. */
const CPU_SHARES = { first: 1024, long: 256, several: 64 }

/** Shows which limit was reached: newer kernels no longer count failures in version 1. */
const PEAK_FILE = 'memory.max_usage_in_bytes'
/** Upper bound of one refused charge. */
const MAX_CHARGE_BYTES = 1024 ** 2

const TCP_LIMIT_FILE = 'memory.kmem.tcp.limit_in_bytes'
const MAX_TCP_BYTES = 64 * 1024 ** 2

const MEMORY_FILES_V1: MemoryFiles = {
  limit: 'memory.limit_in_bytes',
  usage: 'memory.usage_in_bytes',
  set: (folder, bytes) => {
    setLimit(folder, 'memory.limit_in_bytes', bytes)
    // Set after the memory limit, which it must not be below. Absent without swap accounting.
    const withSwap = 'memory.memsw.limit_in_bytes'
    if (existsSync(join(folder, withSwap))) setLimit(folder, withSwap, bytes)
  },
}

/** Lists the folders that contain groups of runs. */
export function listVersion1Parents(): string[] {
  return ['memory', 'pids', 'cpuacct', 'cpu'].flatMap(
    (each) => findHierarchy1(each)?.ownGroup ?? [],
  )
}

/** Creates one group in every hierarchy that limits or counts. */
export function createVersion1Group(
  name: string,
  limits: GroupLimits,
  created: string[],
): KernelGroup {
  const parent = resolveVersion1Parent('memory')
  const total = { parent, memory: MEMORY_FILES_V1, bytes: limits.totalMemoryBytes }
  const memory = createBelowTotal(total, name, created)
  MEMORY_FILES_V1.set(memory, limits.memoryBytes)
  limitTcpBuffers(memory, limits.memoryBytes)
  const pids = createGroup(join(resolveVersion1Parent('pids'), name), created)
  setLimit(pids, 'pids.max', limits.processes)
  const cpuTime = tryCreateGroup('cpuacct', name, created)
  const cpuShare = tryCreateGroup('cpu', name, created)
  const folders = [
    ...new Set([memory, pids, cpuTime, cpuShare].filter((each) => each !== undefined)),
  ]
  return openVersion1Group({ memory, pids, cpuTime, cpuShare, folders }, limits)
}

/** Version 1 does not count buffers of TCP as memory, but has a limit of their own for them. */
function limitTcpBuffers(folder: string, memoryBytes: number): void {
  if (!existsSync(join(folder, TCP_LIMIT_FILE))) return
  setLimit(folder, TCP_LIMIT_FILE, Math.min(memoryBytes, MAX_TCP_BYTES))
}

interface Version1Folders {
  memory: string
  pids: string
  cpuTime: string | undefined
  cpuShare: string | undefined
  folders: readonly string[]
}

function openVersion1Group(
  { memory, pids, cpuTime, cpuShare, folders }: Version1Folders,
  limits: GroupLimits,
): KernelGroup {
  const [first, ...others] = folders.map((each) => new GroupFile(join(each, 'cgroup.procs'), 'w'))
  const oomControl = new GroupFile(join(memory, 'memory.oom_control'))
  const peak = new GroupFile(join(memory, PEAK_FILE), 'r+')
  const pidEvents = new GroupFile(join(pids, 'pids.events'))
  const pidCount = new GroupFile(join(pids, 'pids.current'))
  const pidPeak = new PeakProcesses(pids)
  const used =
    cpuTime === undefined ? undefined : new GroupFile(join(cpuTime, 'cpuacct.usage'), 'r+')
  const shares =
    cpuShare === undefined ? undefined : new GroupFile(join(cpuShare, 'cpu.shares'), 'w')
  const weight = new GroupWeight(shares, CPU_SHARES)
  const opened = [first, ...others, oomControl, peak, pidEvents, pidCount, pidPeak, used, shares]
  return {
    kind: 'cgroup1',
    folders,
    add: async (pid) => {
      // The first write blocks in the kernel until no process forks; the others then return at
      // once.
      await first?.writeAsync(pid)
      for (const each of others) each.write(pid)
    },
    memoryKills: () => oomControl.readCount('oom_kill'),
    totalHit: () => peak.readCount() < limits.memoryBytes - MAX_CHARGE_BYTES,
    refusedProcesses: () => pidEvents.readCount('max'),
    cpuMs: used && (() => used.readCount() / 1e6),
    peakMemoryBytes: () => orUndefined(peak.readNumber()),
    peakProcesses: () => pidPeak.read(),
    lowerPriority: (reason) => weight.lower(reason),
    close: () => {
      for (const each of opened) each?.close()
    },
    reset: () => {
      // These counters cannot be reset.
      if (oomControl.readCount('oom_kill') > 0 || pidEvents.readCount('max') > 0) return false
      if (pidCount.readNumber() !== 0) return false
      peak.write(0)
      if (!(peak.readNumber() <= MAX_RESIDUAL_BYTES)) return false
      used?.write(0)
      pidPeak.markReuse()
      weight.reset()
      return true
    },
  }
}

function resolveVersion1Parent(controller: string): string {
  const hierarchy = findHierarchy1(controller)
  if (!hierarchy) throw new Error(`no hierarchy has the controller "${controller}"`)
  return hierarchy.ownGroup
}

/**
 * Creates a group of an optional controller, one that only counts or weights. Returns undefined if
 * that fails.
 */
function tryCreateGroup(controller: string, name: string, created: string[]): string | undefined {
  try {
    const folder = join(resolveVersion1Parent(controller), name)
    return created.includes(folder) ? folder : createGroup(folder, created)
  } catch {
    return undefined
  }
}
