/** `long`: the run used much processor time. `several`: its caller has several runs. */
export type LowPriorityReason = 'long' | 'several'

/** Operations on a control group of either version. */
export interface KernelGroup {
  kind: 'cgroup1' | 'cgroup2'
  /** The groups of this run. */
  folders: readonly string[]
  add(pid: number): Promise<void>
  /** Number of processes that the kernel killed because memory ran out. */
  memoryKills(): number
  /** True if the limit over all runs was reached, not the limit of this run. */
  totalHit(): boolean
  /** Number of processes and threads that the kernel refused to create. */
  refusedProcesses(): number
  /** Processor time of all processes, including dead ones; undefined if no controller counts it. */
  cpuMs: (() => number) | undefined
  /** Highest memory of the run so far; undefined if the kernel did not count it for this run alone. */
  peakMemoryBytes?(): number | undefined
  /** Highest number of processes and threads at once; undefined as for memory. */
  peakProcesses?(): number | undefined
  /** Counts the files of the run, if this host cannot. */
  countFiles?(): number
  /** Gives other groups precedence from now on. Returns false if no controller weights them. */
  lowerPriority?(reason: LowPriorityReason): boolean
  /** Closes open file descriptors. */
  close?(): void
  /** Resets the group for another run. Returns false if some state cannot be reset. */
  reset?(): boolean
}

/** Limits over all processes of one run, created and removed with it. */
export interface ControlGroup extends KernelGroup {
  /** Kills the remaining processes and removes the group. */
  remove(): Promise<void>
}

export interface GroupLimits {
  memoryBytes: number
  /** Limit over all runs on this machine together. */
  totalMemoryBytes: number
  processes: number
}

/** Limits that a run requests; the total defaults to a share of the machine. */
export type RequestedGroupLimits = Omit<GroupLimits, 'totalMemoryBytes'> & {
  totalMemoryBytes?: number | undefined
}
