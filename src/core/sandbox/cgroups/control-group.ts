/** What one version of the kernel's groups tells and does. */
export interface KernelGroup {
  kind: 'cgroup1' | 'cgroup2'
  /** The run's own groups. */
  folders: readonly string[]
  add(pid: number): Promise<void>
  /** The kernel ended processes because memory ran out. */
  memoryHit(): boolean
  /** It ran out for all runs together, not for this one alone. */
  totalHit(): boolean
  /** How often the kernel refused a process or thread. */
  refusedProcesses(): number
  /** Processor time of all processes, dead ones included; not there where nothing counts it. */
  cpuMs: (() => number) | undefined
  /** Lets others go first from now on. */
  lowerPriority?(): void
  /** Lets go of what is held open of it. */
  close?(): void
  /** Makes it as it was before its run; false where something of that is left. */
  reset?(): boolean
}

/** Limits over all processes of one run, made for it and removed with it. */
export interface ControlGroup extends KernelGroup {
  /** Ends what is left and removes the group. */
  remove(): Promise<void>
}

export interface GroupLimits {
  memoryBytes: number
  /** Of all runs on this machine together; a share of it unless given. */
  totalMemoryBytes: number
  processes: number
}

/** What a run asks of its group: the bound of all runs together is a share of the machine unless given. */
export type RequestedGroupLimits = Omit<GroupLimits, 'totalMemoryBytes'> & {
  totalMemoryBytes?: number | undefined
}
