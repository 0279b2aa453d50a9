import { relative } from 'node:path'

/** Maximum depth of skills below a root. */
export const MAX_DEPTH = 10

/** Position at which a repository finds a folder. */
interface FoundLocation {
  /** Index of the root, or the number of roots if none contains the folder. */
  root: number
  /** Names of the folders from the root to this folder. */
  segments: readonly string[]
}

/**
 * Compares folders in the order in which a repository finds them; that order decides between
 * duplicates.
 */
export function createFoundOrder(roots: readonly string[]): (a: string, b: string) => number {
  const locations = new Map<string, FoundLocation>()
  const locate = (dir: string) => {
    const location = locations.get(dir) ?? locateFolder(roots, dir)
    locations.set(dir, location)
    return location
  }
  return (a, b) => compareLocations(locate(a), locate(b))
}

/** True if roots contain the folder only below the maximum depth; false if no root contains it. */
export function isTooDeep(roots: readonly string[], dir: string): boolean {
  const { root, segments } = locateFolder(roots, dir)
  return root < roots.length && segments.length > MAX_DEPTH
}

function locateFolder(roots: readonly string[], dir: string): FoundLocation {
  let deep: FoundLocation | undefined
  for (const [root, folder] of roots.entries()) {
    const path = relative(folder, dir)
    if (path === '..' || path.startsWith('../')) continue
    const segments = path === '' ? [] : path.split('/')
    if (segments.length <= MAX_DEPTH) return { root, segments }
    deep ??= { root, segments }
  }
  return deep ?? { root: roots.length, segments: dir.split('/') }
}

/** Orders by root, by depth, then by name. */
function compareLocations(a: FoundLocation, b: FoundLocation): number {
  if (a.root !== b.root) return a.root - b.root
  if (a.segments.length !== b.segments.length) return a.segments.length - b.segments.length
  const at = a.segments.findIndex((name, index) => name !== b.segments[index])
  if (at === -1) return 0
  return (a.segments[at] as string) < (b.segments[at] as string) ? -1 : 1
}
