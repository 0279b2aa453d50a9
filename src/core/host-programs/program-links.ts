import { readdirSync, readlinkSync, realpathSync, statSync, type Stats } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

const MAX_LINKS = 40

/**
 * Lists the paths between a program's path and its file: each link on the way, with the links of
 * its folders resolved and as it was written.
 */
export function listLinks(path: string): string[] {
  const found = new Set<string>([path])
  let current = path
  try {
    for (let count = 0; count < MAX_LINKS; count++) {
      const folder = realpathSync(dirname(current))
      const real = join(folder, basename(current))
      found.add(real)
      current = resolve(folder, readlinkSync(real))
      found.add(current)
    }
  } catch {
    // The last path is no link.
  }
  return [...found]
}

/** The files of a folder, by device and inode. */
interface FolderFiles {
  /** Changes with the folder's entries. */
  stamp: string
  namesByFile: ReadonlyMap<string, readonly string[]>
}

/** Finds all names of a program in folders, symbolic and hard links, and remembers the folders. */
export class ProgramAliases {
  #folders = new Map<string, FolderFiles>()

  /** Lists the paths in `folders` that are the same file as `path`. */
  find(path: string, folders: readonly string[]): string[] {
    const stat = statFile(path)
    if (!stat) return []
    const key = identifyFile(stat)
    const known = new Set(folders.filter((folder) => folder.startsWith('/')))
    return [...known].flatMap((folder) =>
      (this.#read(folder)?.namesByFile.get(key) ?? []).map((name) => join(folder, name)),
    )
  }

  #read(folder: string): FolderFiles | undefined {
    const stat = statFile(folder)
    if (!stat) return undefined
    // Two paths often lead to one folder: /bin is a link to /usr/bin.
    const key = identifyFile(stat)
    const stamp = `${stat.mtimeMs} ${stat.ctimeMs}`
    const known = this.#folders.get(key)
    if (known?.stamp === stamp) return known
    const read = { stamp, namesByFile: groupByFile(folder) }
    this.#folders.set(key, read)
    return read
  }
}

function groupByFile(folder: string): Map<string, string[]> {
  const namesByFile = new Map<string, string[]>()
  for (const name of readNames(folder)) {
    const stat = statFile(join(folder, name))
    if (!stat) continue
    const key = identifyFile(stat)
    const names = namesByFile.get(key)
    if (names) names.push(name)
    else namesByFile.set(key, [name])
  }
  return namesByFile
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function statFile(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    // A loop of links, or a link into a folder that is closed.
    return undefined
  }
}

function identifyFile({ dev, ino }: Stats): string {
  return `${dev}:${ino}`
}
