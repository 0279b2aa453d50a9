import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** More entries than any skill may have. */
const MAX_ENTRIES = 20_000

/** What a folder was like at a moment. */
export interface FolderStamp {
  /** Differs whenever anything in it does: the kernel's times of change are nobody's to set. */
  text: string
  /** A later change shows for sure. */
  isSettled: boolean
}

/** A file may change twice within one tick of the kernel's clock: what is younger is not relied on. */
const SETTLED_MS = 100

/** Looks at every entry of a folder, at the contents of none. */
export function stampFolder(dir: string): FolderStamp {
  const startedMs = Date.now()
  const lines: string[] = []
  let changedMs = 0
  const pending = [dir]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (lines.length > MAX_ENTRIES) return { text: lines.join('\n'), isSettled: false }
    const stat = lstatSync(path, { bigint: true })
    const { dev, ino, mode, size, ctimeNs } = stat
    changedMs = Math.max(changedMs, Number(ctimeNs / 1_000_000n))
    lines.push(`${path}\0${dev} ${ino} ${mode} ${size} ${ctimeNs}`)
    // What leads to the folder may be a link, which is looked at as well.
    if (!stat.isDirectory() && path !== dir) continue
    for (const name of readdirSync(path)) pending.push(join(path, name))
  }
  return { text: lines.join('\n'), isSettled: startedMs - changedMs > SETTLED_MS }
}
