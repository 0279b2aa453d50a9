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

/** How a run ended, on its way into the file that marked its beginning. */
export interface RecordEnd {
  /** Folder of all records. */
  dir: string
  /** The file that marks the run as under way, open and of so many bytes, and what it becomes. */
  marker: string
  file: number
  begins: number
  target: string
  /** A line, and the logs where they are short. */
  content: Buffer
  /** A file of longer logs, and its name beside the record. */
  logs: { from: string; to: string } | undefined
}

/**
 * Adds how a run ended to what says how it began, and gives the file its name among those that ended:
 * one file a run. It is whole when it is seen, and on the disk when this returns. Where it
 * fails, it says as before that the run began and not how it ended.
 */
export async function writeRecordEnd(ending: RecordEnd): Promise<void> {
  const { dir, marker, target, content, logs } = ending
  const { file, size, isMark } = openTarget(ending)
  try {
    try {
      writeFully(file, content, size)
      const moved = [
        logs !== undefined && moveCreatingFolder(logs.from, logs.to),
        isMark && moveCreatingFolder(marker, target),
      ]
      const folders = [dirname(target), ...(moved.includes(true) ? [dir] : [])]
      await settleAll([fsyncFile(file), ...folders.map(syncFolder)])
    } catch (error) {
      ftruncateSync(file, size)
      throw error
    }
  } finally {
    if (file !== ending.file) closeSync(file)
  }
}

/** Nobody may close a file that is still being synced. */
async function settleAll(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** The mark; or what others, who took its process for dead, or who removed it, left in its place. */
function openTarget({ file: mark, marker, begins, target }: RecordEnd) {
  if (existsSync(marker)) return { file: mark, size: begins, isMark: true }
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const file = openSync(target, 'a', 0o600)
  return { file, size: fstatSync(file).size, isMark: false }
}

/** Writes all of it at some place of a file. */
export function writeFully(file: number, content: Buffer, from: number): void {
  for (let done = 0; done < content.length;) {
    done += writeSync(file, content, done, content.length - done, from + done)
  }
}

/** Whether the folder of that day had to be made. */
function moveCreatingFolder(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return false
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const made = mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  renameSync(from, to)
  return made !== undefined
}
