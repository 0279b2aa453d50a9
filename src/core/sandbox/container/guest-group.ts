import type { ControlGroup, GroupLimits } from '../cgroups/control-group.ts'

/** How long the guest may take to report its counters. */
const FIRST_STATUS_MS = 10_000

/**
 * The control group of a container on another machine, such as an engine's virtual machine: its
 * first process reports the limits and counters that the kernel shows there.
 */
export class GuestGroup implements ControlGroup {
  kind: ControlGroup['kind'] = 'cgroup2'
  readonly folders = []
  cpuMs: ControlGroup['cpuMs'] = undefined
  /** True if both limits are applied. */
  isLimited = false
  #limits: Pick<GroupLimits, 'memoryBytes' | 'processes'>
  #watch: () => void
  #values: readonly number[] = []
  #resolveFirst: () => void = () => {}
  #first = new Promise<void>((resolve) => (this.#resolveFirst = resolve))

  constructor(limits: Pick<GroupLimits, 'memoryBytes' | 'processes'>, watch: () => void) {
    this.#limits = limits
    this.#watch = watch
  }

  /** Reads the counters of `src/guest/group_status.py`. */
  receiveStatus(status: string): void {
    const [version, ...values] = status.split(' ').map(Number)
    this.kind = version === 1 ? 'cgroup1' : 'cgroup2'
    this.#values = values
    const [memory = -1, processes = -1] = this.#values
    const { memoryBytes, processes: most } = this.#limits
    this.isLimited = memory >= 0 && memory <= memoryBytes && processes >= 0 && processes <= most
    if ((this.#values[4] ?? -1) >= 0) this.cpuMs = () => (this.#values[4] ?? 0) / 1000
    this.#resolveFirst()
  }

  async add(): Promise<void> {
    this.#watch()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the guest reports none')), FIRST_STATUS_MS)
    })
    await Promise.race([this.#first, late]).finally(() => clearTimeout(timer))
  }

  memoryKills(): number {
    return this.isLimited ? Math.max(0, this.#values[2] ?? 0) : 0
  }

  totalHit(): boolean {
    return false
  }

  refusedProcesses(): number {
    return this.isLimited ? Math.max(0, this.#values[3] ?? 0) : 0
  }

  /** Files in the filesystems of the run. */
  countFiles(): number {
    return this.#values[5] ?? 0
  }

  async remove(): Promise<void> {}
}
