import {
  closeSync,
  lstatSync,
  opendirSync,
  readlinkSync,
  type BigIntStats,
  type Dir,
} from 'node:fs'
import { hasSettled } from '../../util/walk-folder.ts'
import { yieldEvery } from '../../util/slices/yield-every.ts'
import type { LeftOutEntries } from './left-out-entries.ts'
import { openFolder, pathInFolder } from './open-beneath.ts'

/** Limits of one snapshot. */
export interface SnapshotLimits {
  entries: number
  /** Bytes of all files together. */
  bytes: number
  depth: number
}

export interface ScannedFile {
  type: 'file'
  path: string
  mode: number
  size: number
  changedMs: number
  /** Differs after any change of the file that is visible without reading it. */
  stamp: string
  /** False if it changed a moment ago: another change may have the same stamp. */
  isSettled: boolean
}

export type ScannedEntry =
  | { type: 'folder'; path: string; mode: number }
  | { type: 'link'; path: string; target: string }
  | ScannedFile

export interface FolderScanOptions {
  limits: SnapshotLimits
  leftOut: LeftOutEntries
  /** Called for each entry. */
  onEntry: (entry: ScannedEntry) => void
}

const PERMISSIONS = 0o777n

/**
 * Lists folders without reading files. Programs may change everything meanwhile: each entry is
 * accessed through its open folder, and no link is followed.
 */
export class FolderScan {
  #options: FolderScanOptions
  #breathe = yieldEvery()
  #entries = 0
  #bytes = 0

  constructor(options: FolderScanOptions) {
    this.#options = options
  }

  /** Scans an area of a workspace, except entries of its top folder that are not wanted. */
  async scan(
    fd: number,
    area: string,
    { omits }: { omits?: string | undefined } = {},
  ): Promise<void> {
    await this.#scanFolder(fd, { path: area, depth: 0, omits })
  }

  async #scanFolder(
    fd: number,
    { path, depth, omits }: { path: string; depth: number; omits?: string | undefined },
  ): Promise<void> {
    const { limits, leftOut } = this.#options
    for (const name of this.#listNames(fd, path)) {
      const text = name.toString('latin1')
      if (text === omits) continue
      const below = `${path}/${text}`
      await this.#breathe()
      const stat = lstatSync(pathInFolder(fd, name), { bigint: true, throwIfNoEntry: false })
      if (!stat) continue
      this.#entries += 1
      if (this.#entries > limits.entries) {
        leftOut.add('many', below)
        return
      }
      if (!stat.isDirectory()) this.#addEntry({ fd, name, stat }, below)
      else if (depth === limits.depth) leftOut.add('deep', below)
      else await this.#enterFolder({ fd, name, stat }, { path: below, depth: depth + 1 })
    }
  }

  /** Lists at most as many names as a snapshot may have: a folder can contain millions. */
  *#listNames(fd: number, path: string): Generator<Buffer> {
    let dir: Dir
    try {
      // The type of the library lacks the encoding.
      dir = opendirSync(`/proc/self/fd/${fd}`, { encoding: 'buffer' as 'binary', bufferSize: 256 })
    } catch {
      return this.#options.leftOut.add('unreadable', path)
    }
    try {
      for (let entry = dir.readSync(); entry; entry = dir.readSync()) {
        yield entry.name as unknown as Buffer
      }
    } finally {
      dir.closeSync()
    }
  }

  async #enterFolder(
    { fd, name, stat }: FoundEntry,
    folder: { path: string; depth: number },
  ): Promise<void> {
    let below: number
    try {
      below = openFolder(pathInFolder(fd, name))
    } catch {
      return this.#options.leftOut.add('unreadable', folder.path)
    }
    try {
      const mode = Number(stat.mode & PERMISSIONS)
      this.#options.onEntry({ type: 'folder', path: folder.path, mode })
      await this.#scanFolder(below, folder)
    } finally {
      closeSync(below)
    }
  }

  #addEntry({ fd, name, stat }: FoundEntry, path: string): void {
    const { limits, leftOut, onEntry } = this.#options
    if (stat.isSymbolicLink()) {
      const target = readLink(pathInFolder(fd, name))
      if (target !== undefined) onEntry({ type: 'link', path, target })
    } else if (!stat.isFile()) leftOut.add('special', path)
    else if (this.#bytes + Number(stat.size) > limits.bytes) leftOut.add('large', path)
    else {
      this.#bytes += Number(stat.size)
      onEntry({ type: 'file', path, ...describeFile(stat) })
    }
  }
}

interface FoundEntry {
  fd: number
  name: Buffer
  stat: BigIntStats
}

/** Facts of a file, from its state. */
export function describeFile(stat: BigIntStats): Omit<ScannedFile, 'type' | 'path'> {
  const { dev, ino, mode, size, mtimeNs, ctimeNs } = stat
  return {
    mode: Number(mode & PERMISSIONS),
    size: Number(size),
    // Times of files are restored as floating-point seconds.
    changedMs: Number((mtimeNs + 500_000n) / 1_000_000n),
    stamp: `${dev} ${ino} ${mode} ${size} ${mtimeNs} ${ctimeNs}`,
    isSettled: hasSettled(Number(ctimeNs / 1_000_000n), Date.now()),
  }
}

/** A link may have been replaced meanwhile. */
function readLink(path: Buffer): string | undefined {
  try {
    return readlinkSync(path, { encoding: 'buffer' }).toString('latin1')
  } catch {
    return undefined
  }
}
