import { existsSync } from 'node:fs'
import type { Interpreter } from '../backend.ts'

/** Where the zygote sees the folders of programs that lie elsewhere. */
export const TOOLS = '/tools'
/** What is asked for once is not worth another zygote. */
const MIN_REQUESTS = 3
const MAX_FOLDERS = 16

/** Folders of programs outside of /usr that runs ask for again and again: the next zygote sees them. */
export class ToolFolders {
  #requestCounts = new Map<string, number>()
  #wanted: string[] = []

  /** What a zygote that is started now is to see. */
  get wanted(): readonly string[] {
    // One that was removed would keep it from starting.
    return this.#wanted.filter((source) => existsSync(source))
  }

  /** Whether it is worth another zygote that this one is not seen. */
  recordMiss(source: string): boolean {
    const times = (this.#requestCounts.get(source) ?? 0) + 1
    if (this.#requestCounts.size > MAX_FOLDERS * MAX_FOLDERS) this.#requestCounts.clear()
    this.#requestCounts.set(source, times)
    if (this.#wanted.includes(source)) return true
    if (times < MIN_REQUESTS || this.#wanted.length >= MAX_FOLDERS) return false
    this.#wanted.push(source)
    return true
  }
}

/** Folders of the host that a zygote sees besides what is staged. */
export interface ZygoteMount {
  source: string
  target: string
}

/** All that a zygote sees of programs. */
export function listZygoteMounts(
  interpreter: Interpreter,
  tools: readonly string[],
): ZygoteMount[] {
  return [
    { source: '/usr', target: '/usr' },
    ...interpreter.mounts,
    ...tools.map((source, at) => ({ source, target: `${TOOLS}/${at}` })),
  ]
}

/** Where it sees a path of the host; undefined where it does not. */
export function mapIntoZygote(seen: readonly ZygoteMount[], path: string): string | undefined {
  const folder = seen.find(({ source }) => path === source || path.startsWith(`${source}/`))
  return folder && folder.target + path.slice(folder.source.length)
}
