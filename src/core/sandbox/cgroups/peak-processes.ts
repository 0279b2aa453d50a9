import { join } from 'node:path'
import { orUndefined } from './cgroup-files.ts'
import { GroupFile } from './group-file.ts'

/**
 * Highest number of processes in a group, which kernels count since Linux 6.11 and never reset. In a
 * group that had an earlier run, only a new highest number is that of the present run.
 */
export class PeakProcesses {
  #file: GroupFile
  #before = 0

  constructor(folder: string) {
    this.#file = new GroupFile(join(folder, 'pids.peak'))
  }

  read(): number | undefined {
    const peak = orUndefined(this.#file.readNumber())
    return peak !== undefined && peak > this.#before ? peak : undefined
  }

  /** The group gets another run. */
  markReuse(): void {
    this.#before = orUndefined(this.#file.readNumber()) ?? Infinity
  }

  close(): void {
    this.#file.close()
  }
}
