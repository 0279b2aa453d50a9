import {
  closeSync,
  existsSync,
  fstatSync,
  fsync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { syncFolder } from '../../../util/durable-file.ts'

const fsyncFile = promisify(fsync)

/** The end of a run, to be written into its marker file. */
export interface RecordEnd {
  /** Folder of all records. */
  dir: string
  /**
   * Path of the marker file, its open descriptor, its size in bytes, and the path of the record.
   */
  marker: string
  fd: number
  markerBytes: number
  target: string
  /** One line of JSON, followed by the logs if they are short. */
  content: Buffer
  /** A file with long logs, and its path next to the record. */
  logs: { from: string; to: string } | undefined
  /** Called when the record is visible, and not durable yet. */
  onWritten?: (() => void) | undefined
}

/**
 * Appends the end of a run to its marker file and renames that to the record. Each run has one
 * file. The record is complete when it is visible, and on disk when this returns. On failure, the
 * file still describes a run that began and did not end.
 */
export async function writeRecordEnd(end: RecordEnd): Promise<void> {
  const { dir, marker, target, content, logs, onWritten } = end
  const { fd, size, isMarker } = openTarget(end)
  try {
    try {
      writeFully(fd, content, size)
      const moved = [
        logs !== undefined && moveCreatingFolder(logs.from, logs.to),
        isMarker && moveCreatingFolder(marker, target),
      ]
      onWritten?.()
      const folders = [dirname(target), ...(moved.includes(true) ? [dir] : [])]
      await settleAll([fsyncFile(fd), ...folders.map(syncFolder)])
    } catch (error) {
      ftruncateSync(fd, size)
      throw error
    }
  } finally {
    if (fd !== end.fd) closeSync(fd)
  }
}

/** Waits for all, because a descriptor must not be closed during fsync. */
async function settleAll(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/**
 * Returns the marker, or the file at its target if another process assumed that this one is dead,
 * or removed the marker.
 */
function openTarget({ fd: markerFd, marker, markerBytes, target }: RecordEnd) {
  if (existsSync(marker)) return { fd: markerFd, size: markerBytes, isMarker: true }
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const fd = openSync(target, 'a', 0o600)
  return { fd, size: fstatSync(fd).size, isMarker: false }
}

/** Writes all bytes at an offset of a file. */
export function writeFully(fd: number, content: Buffer, from: number): void {
  for (let written = 0; written < content.length;) {
    written += writeSync(fd, content, written, content.length - written, from + written)
  }
}

/** Moves a file. Returns true if it created the target folder. */
function moveCreatingFolder(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return false
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const created = mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  renameSync(from, to)
  return created !== undefined
}
