import { sweepLeftovers } from '../../util/leftovers.ts'
import { FolderLock } from './audit-lock.ts'

/** Runs while no other process does so for this folder, and leaves no file of this process there. */
export async function withFolderLock<Result>(
  folder: string,
  run: (lock: FolderLock) => Promise<Result>,
): Promise<Result> {
  const lock = new FolderLock(folder)
  try {
    await lock.acquire()
    try {
      await sweepLeftovers(folder)
      return await run(lock)
    } finally {
      lock.release()
    }
  } finally {
    lock.close()
  }
}
