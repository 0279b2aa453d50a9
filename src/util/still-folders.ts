import { existsSync, lstatSync, type BigIntStats } from 'node:fs'
import { dirname, join } from 'node:path'
import { once } from './once.ts'

/** Age from which a change time is old on every clock. */
const OLD_NS = 2_000_000_000n
/** Longer than one step of the kernel's clock, so that a later change gets a later time. */
const STEP_MS = 60
/** The same for filesystems that store whole seconds. */
const LONG_STEP_MS = 1100

/** State of folders at one moment. */
export interface FolderMoment {
  /** Equal only if no entry of any of these folders was added, removed or replaced in between. */
  text: string
  /** Milliseconds after which the next change is sure to alter the stamp. */
  settleMs: number
}

/** True if the kernel reports the path of an open file, through links in /proc. */
export const canResolveDescriptors = once(
  () => process.platform === 'linux' && existsSync('/proc/self/fd'),
)

/**
 * Stamps folders, where an open file cannot be resolved to its path. A file that was opened between
 * two equal stamps was reached through these folders and through no symlink. Undefined if one of
 * them is not a folder.
 */
export function captureFolders(folders: readonly string[]): FolderMoment | undefined {
  const stats = folders.map((folder) => lstatSync(folder, { bigint: true, throwIfNoEntry: false }))
  if (!stats.every((stat) => stat?.isDirectory() === true)) return undefined
  const present = stats as BigIntStats[]
  const text = present.map(({ dev, ino, ctimeNs }) => `${dev}:${ino}:${ctimeNs}`).join(' ')
  return { text, settleMs: Math.max(0, ...present.map(computeSettleMs)) }
}

function computeSettleMs({ ctimeNs }: BigIntStats): number {
  if (BigInt(Date.now()) * 1_000_000n - ctimeNs > OLD_NS) return 0
  return ctimeNs % 1_000_000_000n === 0n ? LONG_STEP_MS : STEP_MS
}

/** Lists the folders from a base down to the one that contains a file. Both paths are real. */
export function listFoldersBetween(base: string, file: string): string[] {
  const folders: string[] = []
  for (let folder = dirname(file); folder.length > base.length; folder = dirname(folder)) {
    folders.unshift(folder)
  }
  return [join(base), ...folders]
}
