import { existsSync } from 'node:fs'
import type { Interpreter } from '../backend.ts'

/** Where the zygote sees the folders of programs that lie elsewhere. */
export const TOOLS = '/tools'
/** What is asked for once is not worth another zygote. */
const OFTEN = 3
const MOST = 16

/** Folders of programs outside of /usr that runs ask for again and again: the next zygote sees them. */
export class ToolFolders {
  #asked = new Map<string, number>()
  #wanted: string[] = []

  /** What a zygote that is started now is to see. */
  get wanted(): readonly string[] {
    // One that was removed would keep it from starting.
    return this.#wanted.filter((source) => existsSync(source))
  }

  /** Whether it is worth another zygote that this one is not seen. */
  miss(source: string): boolean {
    const times = (this.#asked.get(source) ?? 0) + 1
    if (this.#asked.size > MOST * MOST) this.#asked.clear()
    this.#asked.set(source, times)
    if (this.#wanted.includes(source)) return true
    if (times < OFTEN || this.#wanted.length >= MOST) return false
    this.#wanted.push(source)
    return true
  }
}

/** Folders of the host that a zygote sees besides what is staged. */
export interface SeenFolder {
  source: string
  target: string
}

/** All that a zygote sees of programs. */
export function seenFolders(interpreter: Interpreter, tools: readonly string[]): SeenFolder[] {
  return [
    { source: '/usr', target: '/usr' },
    ...interpreter.mounts,
    ...tools.map((source, at) => ({ source, target: `${TOOLS}/${at}` })),
  ]
}

/** Where it sees a path of the host; undefined where it does not. */
export function seenAt(seen: readonly SeenFolder[], path: string): string | undefined {
  const folder = seen.find(({ source }) => path === source || path.startsWith(`${source}/`))
  return folder && folder.target + path.slice(folder.source.length)
}
