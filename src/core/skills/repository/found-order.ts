import { relative } from 'node:path'

/** How deep skills may lie below a root. */
export const MAX_DEPTH = 10

/** Where a repository comes across a folder. */
interface FoundLocation {
  /** The number of the root, or of roots where none holds it. */
  root: number
  /** Names of the folders on the way from there. */
  segments: readonly string[]
}

/** Orders folders as a repository finds them, which counts where two skills are the same. */
export function createFoundOrder(roots: readonly string[]): (a: string, b: string) => number {
  const locations = new Map<string, FoundLocation>()
  const locate = (dir: string) => {
    const location = locations.get(dir) ?? locateFolder(roots, dir)
    locations.set(dir, location)
    return location
  }
  return (a, b) => compareLocations(locate(a), locate(b))
}

/** True where no root holds a folder so near that it is looked into; false where none holds it at all. */
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

/** Level by level, and by name in each. */
function compareLocations(a: FoundLocation, b: FoundLocation): number {
  if (a.root !== b.root) return a.root - b.root
  if (a.segments.length !== b.segments.length) return a.segments.length - b.segments.length
  const at = a.segments.findIndex((name, index) => name !== b.segments[index])
  if (at === -1) return 0
  return (a.segments[at] as string) < (b.segments[at] as string) ? -1 : 1
}
