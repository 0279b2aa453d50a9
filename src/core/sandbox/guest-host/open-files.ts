import { readdirSync, readFileSync, statfsSync, statSync, type Stats } from 'node:fs'
import { yieldEvery } from '../../../util/slices/yield-every.ts'
import { BLOCK_BYTES, type FolderSize } from '../rootfs/measure-folder.ts'
import type { VisitedProcesses } from './run-processes.ts'

/** File systems in memory have limits of their own; an overlay's changes are in one of them. */
const IN_MEMORY = new Set([0x01_02_19_94, 0x85_84_58_f6, 0x95_84_58_f6, 0x79_4c_76_30])
/** Mapped files whose folder, or lack of one, shows that they are in memory. */
const MAPPED_MEMORY = /^\/(?:memfd:|SYSV|dev\/zero|dev\/shm\/|tmp\/|\[aio\])/
const DELETED_MAPPING = /^(\S+) \S+ \S+ \S+ (\d+) +(\/.*) \(deleted\)$/gm
/** The names in map_files are not padded. */
const LEADING_ZEROS = /\b0+(?=[0-9a-f])/g
const QUEUED_DESCRIPTORS = /^scm_fds:\s*[1-9]/m
/** Bounds the time of one scan. A run with more descriptors counts as hiding files. */
const MAX_DESCRIPTORS = 100_000
/** Processes can pass descriptors on while they are scanned. */
const SCANS = 3

/** Deleted files that the processes of a run keep open. */
export interface OpenFiles extends FolderSize {
  /** True if there may be files that cannot be counted. */
  hasHidden: boolean
}

/**
 * Measures the deleted files that a run keeps open or mapped: no folder contains them, but they
 * occupy the disk. Files on the given devices count, and those on other disks.
 */
export async function measureOpenFiles(
  processes: VisitedProcesses,
  devices: ReadonlySet<number>,
): Promise<OpenFiles> {
  const scan = new Scan(devices)
  for (let count = 1; count <= SCANS; count += 1) {
    const known = scan.files.size
    if (await processes.visit(async (pid) => await scan.visit(pid))) scan.hasHidden = true
    if (scan.files.size === known) break
  }
  let bytes = 0
  for (const each of scan.files.values()) bytes += each
  return { bytes, entries: scan.files.size, hasHidden: scan.hasHidden || scan.hasMappedOnly() }
}

class Scan {
  /** Bytes of each deleted file. */
  readonly files = new Map<string, number>()
  hasHidden = false
  readonly #devices: ReadonlySet<number>
  readonly #inodes = new Set<number>()
  readonly #mappedOnly = new Set<number>()
  readonly #breathe = yieldEvery()
  #descriptors = 0

  constructor(devices: ReadonlySet<number>) {
    this.#devices = devices
  }

  async visit(pid: number): Promise<void> {
    // Threads can have tables of their own, and the first thread can exit before the others.
    for (const tid of this.#listNames(`/proc/${pid}/task`)) {
      const task = `/proc/${pid}/task/${tid}`
      for (const fd of this.#listNames(`${task}/fd`)) {
        this.#addDescriptor(task, fd)
        await this.#breathe()
      }
    }
    this.#addMappings(pid)
  }

  hasMappedOnly(): boolean {
    return [...this.#mappedOnly].some((inode) => !this.#inodes.has(inode))
  }

  /** The files of a process that is not dumpable belong to root. */
  #listNames(path: string): string[] {
    try {
      return readdirSync(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EACCES') this.hasHidden = true
      return []
    }
  }

  #addDescriptor(task: string, fd: string): void {
    this.#descriptors += 1
    if (this.#descriptors > MAX_DESCRIPTORS) {
      this.hasHidden = true
      return
    }
    const path = `${task}/fd/${fd}`
    const stat = readStat(path)
    if (!stat) return
    if (stat.isSocket()) this.#checkQueue(`${task}/fdinfo/${fd}`)
    else this.#addFile(path, stat)
  }

  /** A descriptor in the queue of a socket belongs to no process. */
  #checkQueue(path: string): void {
    if (QUEUED_DESCRIPTORS.test(readText(path))) this.hasHidden = true
  }

  #addFile(path: string, stat: Stats): void {
    // No run has files of root: those are programs and libraries that were replaced meanwhile.
    if (!stat.isFile() || stat.nlink > 0 || stat.uid === 0) return
    this.#inodes.add(stat.ino)
    if (!this.#devices.has(stat.dev) && isInMemory(path)) return
    this.files.set(`${stat.dev}:${stat.ino}`, stat.blocks * BLOCK_BYTES)
  }

  #addMappings(pid: number): void {
    const text = readText(`/proc/${pid}/maps`) || this.#readMapsOfThread(pid)
    for (const [, range = '', inode, name = ''] of text.matchAll(DELETED_MAPPING)) {
      if (MAPPED_MEMORY.test(name) || this.#inodes.has(Number(inode))) continue
      const path = `/proc/${pid}/map_files/${range.replaceAll(LEADING_ZEROS, '')}`
      // Only root can follow this link.
      const stat = readStat(path)
      if (stat) this.#addFile(path, stat)
      else this.#mappedOnly.add(Number(inode))
    }
  }

  #readMapsOfThread(pid: number): string {
    for (const tid of this.#listNames(`/proc/${pid}/task`)) {
      const text = readText(`/proc/${pid}/task/${tid}/maps`)
      if (text) return text
    }
    return ''
  }
}

function isInMemory(path: string): boolean {
  try {
    return IN_MEMORY.has(statfsSync(path).type)
  } catch {
    return true
  }
}

/** Processes end and close files at any time. */
function readStat(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
