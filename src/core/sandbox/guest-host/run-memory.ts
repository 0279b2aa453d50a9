import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statfsSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'

const KIB = 1024
/** Number of checks after which processes whose sum is unchanged are measured again. */
const MEASURE_INTERVAL = 10
/**
 * Measurements in a row during which a process exited, after which its sum counts: processes that
 * are replaced all the time must not pass for exited ones.
 */
const MAX_INCOMPLETE = 20

interface RunMemoryOptions {
  /** Path of the run's own procfs. */
  procfs: string
  /** Descriptors of its filesystems in memory, which stay the caller's. */
  folders: readonly number[]
  limit: number
  /** Called when the run uses more memory than its limit. */
  onExceeded: () => void
}

/** Memory of a process. */
interface ProcessMemory {
  pid: string
  /** Resident and swapped pages that no file backs, and page tables. */
  bytes: number
  pageTables: number
}

/**
 * Counts the memory of a run that no control group limits: of its processes, and of its filesystems
 * in memory. It does not see shared memory that no process has mapped at that moment.
 */
export class RunMemory {
  #options: RunMemoryOptions
  #procfs: number
  #devices: ReadonlySet<string>
  #checks = 0
  /** Sum of all processes below which the last measurement makes another one unnecessary. */
  #provenBytes = 0
  #incomplete = 0
  #measuring: Promise<void> | undefined
  #isClosed = false

  constructor(options: RunMemoryOptions) {
    const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
    this.#options = options
    this.#procfs = openSync(options.procfs, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    this.#devices = new Set(options.folders.map((fd) => formatDevice(fstatSync(fd).dev)))
  }

  /** Adds up what each process reports. Only a sum above the limit has to be measured. */
  check(): void {
    this.#checks += 1
    if (this.#measuring !== undefined) return
    const files = this.#countFiles()
    const processes = this.#listProcesses()
    // Memory that processes share is counted for each of them.
    const sum = files + addUp(processes.map(({ bytes }) => bytes))
    if (sum <= this.#options.limit) return
    if (sum <= this.#provenBytes && this.#checks % MEASURE_INTERVAL !== 0) return
    this.#measuring = this.#measure(processes, { files, sum }).finally(() => {
      this.#measuring = undefined
      if (this.#isClosed) closeSync(this.#procfs)
    })
  }

  close(): void {
    this.#isClosed = true
    if (this.#measuring === undefined) closeSync(this.#procfs)
  }

  /** Asynchronous, since the kernel walks the page tables of each process. */
  async #measure(
    processes: readonly ProcessMemory[],
    { files, sum }: { files: number; sum: number },
  ): Promise<void> {
    const { limit, onExceeded } = this.#options
    let bytes = files
    let isComplete = true
    for (const each of processes) {
      const measured = await this.#measureProcess(each)
      if (measured === undefined) isComplete = false
      bytes += measured ?? (this.#incomplete < MAX_INCOMPLETE ? 0 : each.bytes)
      if (bytes <= limit) continue
      if (!this.#isClosed) onExceeded()
      return
    }
    this.#incomplete = isComplete ? 0 : this.#incomplete + 1
    this.#provenBytes = isComplete ? sum + (limit - bytes) / 2 : 0
  }

  #countFiles(): number {
    return addUp(
      this.#options.folders.map((fd) => {
        const { blocks, bfree, bsize } = statfsSync(`/proc/self/fd/${fd}`)
        return (blocks - bfree) * bsize
      }),
    )
  }

  #listProcesses(): ProcessMemory[] {
    return readdirSync(`/proc/self/fd/${this.#procfs}`)
      .filter((name) => name >= '0' && name < ':')
      .flatMap((pid) => {
        const status = this.#readStatus(pid)
        const pageTables = parseField(status, 'VmPTE')
        const fields = ['RssAnon', 'RssShmem', 'VmSwap'].map((name) => parseField(status, name))
        return [{ pid, bytes: addUp(fields) + pageTables, pageTables }]
      })
  }

  #readStatus(pid: string): string {
    try {
      return readFileSync(`/proc/self/fd/${this.#procfs}/${pid}/status`, 'latin1')
    } catch {
      // It has exited.
      return ''
    }
  }

  /** Divides shared pages among the processes that have mapped them; undefined if it has exited. */
  async #measureProcess({ pid, bytes, pageTables }: ProcessMemory): Promise<number | undefined> {
    const text = await this.#read(pid, 'smaps_rollup')
    if (text === '') return undefined
    // A process that is not dumpable, or a kernel without these fields.
    if (text === undefined || !text.includes('\nPss_Anon:')) return bytes
    const shared = parseField(text, 'Pss_Shmem')
    const own = parseField(text, 'Pss_Anon') + parseField(text, 'SwapPss') + pageTables
    return own + (shared === 0 ? 0 : Math.max(0, shared - (await this.#measureMappedFiles(pid))))
  }

  /** Mapped pages of the run's filesystems, which count as files already. */
  async #measureMappedFiles(pid: string): Promise<number> {
    let isOwn = false
    let bytes = 0
    for (const line of ((await this.#read(pid, 'smaps')) ?? '').split('\n')) {
      const device = /^[\da-f]+-[\da-f]+ \S+ [\da-f]+ (\S+) /.exec(line)?.[1]
      if (device !== undefined) isOwn = this.#devices.has(device)
      else if (isOwn && line.startsWith('Pss:')) bytes += parseField(`\n${line}`, 'Pss')
    }
    return bytes
  }

  /** Empty if the process has exited; undefined if this user may not read the file. */
  async #read(pid: string, file: string): Promise<string | undefined> {
    try {
      return await readFile(`/proc/self/fd/${this.#procfs}/${pid}/${file}`, 'latin1')
    } catch (error) {
      return ['EACCES', 'EPERM'].includes(String((error as NodeJS.ErrnoException).code))
        ? undefined
        : ''
    }
  }
}

/** Parses a line such as `VmSwap:   12 kB` to bytes; 0 if it is missing. */
function parseField(text: string, name: string): number {
  const start = text.indexOf(`\n${name}:`)
  return start === -1 ? 0 : Number.parseInt(text.slice(start + name.length + 2), 10) * KIB
}

/** Formats a device number as in a list of mappings. */
function formatDevice(dev: number): string {
  const major = (dev >> 8) & 0xfff
  const minor = (dev & 0xff) | ((dev >> 12) & 0xfff00)
  return [major, minor].map((each) => each.toString(16).padStart(2, '0')).join(':')
}

function addUp(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0)
}
