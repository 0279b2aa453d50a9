import { readdirSync, readFileSync, statSync } from 'node:fs'

/** Processes of a run, seen from the host. */
export interface VisitedProcesses {
  /**
   * Calls `visit` for each process. Returns true if the run has a process that only root may
   * inspect.
   */
  visit(visit: (pid: number) => Promise<void>): Promise<boolean>
}

/**
 * Processes of one PID namespace, seen from the host. The first process runs only code of this
 * project, so it is left out.
 */
export class RunProcesses implements VisitedProcesses {
  readonly #init: number
  readonly #namespace: number
  readonly #user = process.getuid?.() ?? 0

  constructor(init: number, namespace: number) {
    this.#init = init
    this.#namespace = namespace
  }

  async visit(visit: (pid: number) => Promise<void>): Promise<boolean> {
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
    // Newer processes are more likely to belong to the run, and to be gone soon.
    const newest = pids.sort((a, b) => b - a).filter((pid) => pid !== this.#init)
    const closed: number[] = []
    for (const pid of newest) {
      const namespace = this.#readNamespace(pid)
      if (namespace === 'closed') closed.push(pid)
      else if (namespace === this.#namespace) await visit(pid)
    }
    return closed.some((pid) => this.#isDescendant(pid))
  }

  #readNamespace(pid: number): number | 'closed' | undefined {
    try {
      return statSync(`/proc/${pid}/ns/pid`, { throwIfNoEntry: false })?.ino
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'closed' : undefined
    }
  }

  /** A process of another user is not one of a run that this user started. */
  #isDescendant(pid: number): boolean {
    for (let at = pid, isFirst = true; at > 1; isFirst = false) {
      const status = readStatus(at)
      const owner = Number(/^Uid:\t(\d+)/m.exec(status)?.[1])
      if (isFirst && this.#user !== 0 && owner !== this.#user) return false
      at = Number(/^PPid:\t(\d+)$/m.exec(status)?.[1] ?? 0)
      if (at === this.#init) return true
    }
    return false
  }
}

/**
 * Must be called before code of a run starts; later the kernel may refuse access. Returns undefined
 * for a run without a PID namespace of its own.
 */
export function openRunProcesses(init: number): RunProcesses | undefined {
  const { ino } = statSync(`/proc/${init}/ns/pid`)
  return ino === statSync('/proc/self/ns/pid').ino ? undefined : new RunProcesses(init, ino)
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1')
  } catch {
    return ''
  }
}
