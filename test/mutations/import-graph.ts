import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const FOLDERS = ['src', 'test', 'scripts', 'bin', 'examples']
/** Tags are comments at the beginning. */
const SLOW = /^(?:\/\/.*\n)*?\/\/ @module-tag slow\n/
const TYPE_IMPORT = /^(?:import|export) type [^'"]*from '[^']+'/gm
const FILE_NAME =
  /['"`](?<name>[\w@./-]+\.(?:tsx?|m?js)|[\w./-]*dist\/console\/|skills-protocol[\w/-]*)['"`]/g

/** Files that each file loads or starts: every text in it that names a file of the tree. */
export class ImportGraph {
  #importers = new Map<string, string[]>()
  #slow = new Set<string>()

  constructor(root: string) {
    const files = new Set(FOLDERS.flatMap((folder) => listCodeFiles(root, folder)))
    const entryPoints = readEntryPoints(root)
    for (const file of files) {
      const text = readFileSync(join(root, file), 'utf8')
      if (SLOW.test(text)) this.#slow.add(file)
      for (const loaded of listLoaded(file, text, entryPoints)) {
        if (!files.has(loaded)) continue
        this.#importers.set(loaded, [...(this.#importers.get(loaded) ?? []), file])
      }
    }
  }

  /** Lists test files that reach a file, those with the fewest files between first. */
  listTests(file: string): { fast: string[]; slow: string[] } {
    const distances = new Map([[file, 0]])
    for (const [reached, distance] of distances)
      for (const importer of this.#importers.get(reached) ?? [])
        if (!distances.has(importer)) distances.set(importer, distance + 1)
    const tests = [...distances]
      .filter(([path]) => path.endsWith('.test.ts'))
      .map(([path, distance]) => ({ path, distance, shared: countSharedFolders(path, file) }))
      .toSorted(
        (a, b) => a.distance - b.distance || b.shared - a.shared || (a.path < b.path ? -1 : 1),
      )
      .map(({ path }) => path)
    const isSlow = (path: string) => this.#slow.has(path)
    return { fast: tests.filter((path) => !isSlow(path)), slow: tests.filter(isSlow) }
  }
}

function listCodeFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:tsx?|m?js)$/.test(path) && !path.includes('node_modules/'))
    .map((path) => join(folder, path))
}

/** The sources of the package's public names. */
function readEntryPoints(root: string): ReadonlyMap<string, string> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    name: string
    exports: Record<string, { default?: string }>
  }
  return new Map(
    Object.entries(manifest.exports).map(([path, { default: built = '' }]) => [
      join(manifest.name, path),
      findSource(join(built)),
    ]),
  )
}

function listLoaded(
  file: string,
  text: string,
  entryPoints: ReadonlyMap<string, string>,
): Set<string> {
  const names = [...text.replaceAll(TYPE_IMPORT, '').matchAll(FILE_NAME)].map(
    ({ groups }) => groups?.['name'] ?? '',
  )
  const candidates = names.flatMap((name) => [
    entryPoints.get(name) ?? '',
    findSource(join(dirname(file), name)),
    findSource(name),
  ])
  return new Set(candidates.filter((each) => each !== file))
}

/** The source of a built file, and the path itself for every other. */
function findSource(path: string): string {
  if (path === 'dist/console/') return 'src/console/main.tsx'
  if (path === 'dist/bundle/main.js') return 'src/cli/main.ts'
  return path.replace(/^dist\/(?:bundle\/)?(.*)\.js$/, 'src/$1.ts')
}

function countSharedFolders(test: string, file: string): number {
  const [own, other] = [test, file].map((path) => path.split('/').slice(1, -1)) as [
    string[],
    string[],
  ]
  const differing = own.findIndex((folder, index) => folder !== other[index])
  return differing === -1 ? own.length : differing
}
