import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createFolder } from '../../helpers/skills.ts'

/** The reason why a small disk cannot be created here; undefined if it can. */
export const NO_SMALL_DISK: string | undefined = findReason()

/** A folder on a separate disk of this size. */
export function createSmallDisk(bytes: number): string {
  const dir = createFolder()
  const options = `size=${bytes},mode=700`
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dir])
  if (mounted.status !== 0) throw new Error(String(mounted.stderr))
  onTestFinished(() => void spawnSync('umount', ['-l', dir]))
  return dir
}

/** Fills the disk except for some pages; the result releases the space. */
export function fillDisk(dir: string, pages = 0): () => void {
  const { bavail, bsize } = statfsSync(dir)
  const file = join(dir, 'filler')
  writeFileSync(file, Buffer.alloc((bavail - pages) * bsize))
  return () => rmSync(file)
}

function findReason(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root may mount a disk'
  const attempt = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'])
  return attempt.status === 0 ? undefined : 'this machine lets nobody mount a disk'
}
