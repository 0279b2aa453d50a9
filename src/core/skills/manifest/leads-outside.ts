import { readlinkSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'

/** Links of one path, as in the kernel. */
const MAX_LINKS = 40

/**
 * True if a link of a skill leads out of its folder, whether or not its target exists. Only entries
 * of the skill are looked at: the result contains nothing about other folders.
 */
export function leadsOutside(dir: string, path: string): boolean {
  const resolved: string[] = []
  let pending = path.split('/')
  let links = 0
  for (let part = pending.shift(); part !== undefined; part = pending.shift()) {
    if (part === '' || part === '.') continue
    if (part === '..') {
      if (resolved.pop() === undefined) return true
      continue
    }
    const written = readLink(join(dir, ...resolved, part))
    if (written === undefined) {
      resolved.push(part)
      continue
    }
    if (isAbsolute(written)) return true
    if (++links > MAX_LINKS) return false
    pending = [...written.split('/'), ...pending]
  }
  return false
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    // No link, or nothing at all.
    return undefined
  }
}
