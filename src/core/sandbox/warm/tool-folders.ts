import { existsSync } from 'node:fs'

/** Folder of the zygote for what its forks mount of the host. */
export const TOOLS_FOLDER = '/tools'
/** Requests after which a new zygote should mount a folder. */
const MIN_REQUESTS = 3
const MAX_FOLDERS = 16

/**
 * Tracks program folders outside of /usr that runs request repeatedly, so that the next zygote
 * mounts them.
 */
export class ToolFolders {
  #requestCounts = new Map<string, number>()
  #requested: string[] = []

  /** Folders that a zygote started now should mount. */
  get requested(): readonly string[] {
    // A removed folder would make the start fail.
    return this.#requested.filter((source) => existsSync(source))
  }

  /** Counts a request for a missing folder. Returns true if a new zygote should mount it. */
  recordMiss(source: string): boolean {
    const count = (this.#requestCounts.get(source) ?? 0) + 1
    if (this.#requestCounts.size > MAX_FOLDERS * MAX_FOLDERS) this.#requestCounts.clear()
    this.#requestCounts.set(source, count)
    if (this.#requested.includes(source)) return true
    if (count < MIN_REQUESTS || this.#requested.length >= MAX_FOLDERS) return false
    this.#requested.push(source)
    return true
  }
}

/** A host file or folder that a zygote mounts for its forks, besides its staging folder. */
export interface ZygoteMount {
  source: string
  target: string
}

/** Maps a host path into the zygote; undefined if it is not mounted there. */
export function mapIntoZygote(mounts: readonly ZygoteMount[], path: string): string | undefined {
  const folder = mounts.find(({ source }) => path === source || path.startsWith(`${source}/`))
  return folder && folder.target + path.slice(folder.source.length)
}
