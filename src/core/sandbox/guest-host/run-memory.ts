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
import { RunSockets } from './run-sockets.ts'

const KIB = 1024
/** Memory of the kernel for each file of a filesystem in memory. */
const INODE_BYTES = KIB
/** Memory of the kernel for each mapping of a process, which has at most this many. */
const MAPPING_BYTES = 256
const MAX_MAPPINGS = 65_530
const PAGE_BYTES = 4 * KIB
/** Upper bound for each open file, such as a pipe or a timer. The first ones of a process are free. */
const OPEN_FILE_BYTES = 16 * KIB
const FREE_OPEN_FILES = 64
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
  /** Folder of its network namespace in a procfs. */
  network: string
  /** Descriptors of its filesystems in memory, which stay the caller's. */
  folders: readonly number[]
  limit: number
  /** Called when the run uses more memory than its limit. */
  onExceeded: () => void
}

/** Memory of a process. */
interface ProcessMemory {
  pid: string
  /** Upper bound: resident and swapped pages that no file backs, and what the kernel has for it. */
  bytes: number
  /** The part of the kernel, without mappings. */
  kernelBytes: number
}

/**
 * Counts the memory of a run that no control group limits: of its processes, its filesystems in
 * memory and its sockets. The filter of the run refuses shared memory that no filesystem has.
 */
export class RunMemory {
  #options: RunMemoryOptions
  #procfs: number
  #sockets: RunSockets
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
    this.#sockets = new RunSockets(options.network)
    this.#devices = new Set(options.folders.map((fd) => formatDevice(fstatSync(fd).dev)))
  }

  /** Adds up what each process reports. Only a sum above the limit has to be measured. */
  check(): void {
    this.#checks += 1
    if (this.#measuring !== undefined) return
    const files = this.#countFiles() + this.#sockets.measure()
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
    this.#sockets.close()
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
        const { blocks, bfree, bsize, files, ffree } = statfsSync(`/proc/self/fd/${fd}`)
        return (blocks - bfree) * bsize + (files - ffree) * INODE_BYTES
      }),
    )
  }

  #listProcesses(): ProcessMemory[] {
    return readdirSync(`/proc/self/fd/${this.#procfs}`)
      .filter((name) => name >= '0' && name < ':')
      .map((pid) => parseStatus(pid, this.#readStatus(pid)))
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
  async #measureProcess({ pid, bytes, kernelBytes }: ProcessMemory): Promise<number | undefined> {
    const [text, maps] = await Promise.all([
      this.#read(pid, 'smaps_rollup'),
      this.#read(pid, 'maps'),
    ])
    if (text === '' || maps === '') return undefined
    // A process that is not dumpable, or a kernel without these fields.
    if (text === undefined || maps === undefined || !text.includes('\nPss_Anon:')) return bytes
    const shared = parseField(text, 'Pss_Shmem')
    const own =
      parseField(text, 'Pss_Anon') +
      parseField(text, 'SwapPss') +
      kernelBytes +
      maps.split('\n').length * MAPPING_BYTES
    if (shared === 0) return own
    const mapped = await this.#measureMappedFiles(pid)
    return mapped === undefined ? undefined : own + Math.max(0, shared - mapped)
  }

  /** Mapped pages of the run's filesystems, which count as files already; undefined if it has exited. */
  async #measureMappedFiles(pid: string): Promise<number | undefined> {
    const text = await this.#read(pid, 'smaps')
    if (!text) return undefined
    let isOwn = false
    let bytes = 0
    for (const line of text.split('\n')) {
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

function parseStatus(pid: string, status: string): ProcessMemory {
  const fields = ['RssAnon', 'RssShmem', 'VmSwap'].map((name) => parseField(status, name))
  // The size of the table of open files, which has no unit.
  const openFiles = parseField(status, 'FDSize') / KIB
  const kernelBytes =
    parseField(status, 'VmPTE') + Math.max(0, openFiles - FREE_OPEN_FILES) * OPEN_FILE_BYTES
  const mappings = Math.min(MAX_MAPPINGS, parseField(status, 'VmSize') / PAGE_BYTES)
  return { pid, bytes: addUp(fields) + kernelBytes + mappings * MAPPING_BYTES, kernelBytes }
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
