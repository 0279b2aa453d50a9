import { relative } from 'node:path'

/** How deep skills may lie below a root. */
export const MAX_DEPTH = 10

/** Where a repository comes across a folder. */
interface Place {
  /** The number of the root, or of roots where none holds it. */
  root: number
  /** Names of the folders on the way from there. */
  way: readonly string[]
}

/** Orders folders as a repository finds them, which counts where two skills are the same. */
export function compareFound(roots: readonly string[]): (a: string, b: string) => number {
  const places = new Map<string, Place>()
  const placeFor = (dir: string) => {
    const place = places.get(dir) ?? findPlace(roots, dir)
    places.set(dir, place)
    return place
  }
  return (a, b) => comparePlaces(placeFor(a), placeFor(b))
}

/** True where no root holds a folder so near that it is looked into; false where none holds it at all. */
export function isTooDeep(roots: readonly string[], dir: string): boolean {
  const { root, way } = findPlace(roots, dir)
  return root < roots.length && way.length > MAX_DEPTH
}

function findPlace(roots: readonly string[], dir: string): Place {
  let deep: Place | undefined
  for (const [root, folder] of roots.entries()) {
    const path = relative(folder, dir)
    if (path === '..' || path.startsWith('../')) continue
    const way = path === '' ? [] : path.split('/')
    if (way.length <= MAX_DEPTH) return { root, way }
    deep ??= { root, way }
  }
  return deep ?? { root: roots.length, way: dir.split('/') }
}

/** Level by level, and by name in each. */
function comparePlaces(a: Place, b: Place): number {
  if (a.root !== b.root) return a.root - b.root
  if (a.way.length !== b.way.length) return a.way.length - b.way.length
  const at = a.way.findIndex((name, index) => name !== b.way[index])
  if (at === -1) return 0
  return (a.way[at] as string) < (b.way[at] as string) ? -1 : 1
}
