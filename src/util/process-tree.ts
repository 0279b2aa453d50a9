import { readdirSync, readFileSync } from 'node:fs'
import { killProcess } from './kill-process.ts'

/**
 * Limit of rounds. Processes are stopped first, so that they start no children while the others are
 * found.
 */
const MAX_ROUNDS = 20

interface ProcessRow {
  pid: number
  parent: number
  session: number
}

/** Kills all descendants of a process and then the process itself, which must be a subreaper. */
export function killTree(root: number): void {
  const stopped = new Set<number>()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const added = listDescendants(root).filter((pid) => !stopped.has(pid))
    if (added.length === 0) break
    for (const pid of added) {
      killProcess(pid, 'SIGSTOP')
      stopped.add(pid)
    }
  }
  for (const pid of stopped) killProcess(pid, 'SIGKILL')
  killProcess(root, 'SIGKILL')
}

/** Kills the remaining processes of a session; returns true if there were any. */
export function killSession(leader: number): boolean {
  const remaining = listProcesses().filter(({ session }) => session === leader)
  for (const { pid } of remaining) killProcess(pid, 'SIGKILL')
  return remaining.length > 0
}

function listDescendants(root: number): number[] {
  const children = new Map<number, number[]>()
  for (const { pid, parent } of listProcesses()) {
    children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const found: number[] = []
  for (const pending = [root]; pending.length > 0;) {
    const next = children.get(pending.pop() as number) ?? []
    found.push(...next)
    pending.push(...next)
  }
  return found
}

/** Every running process. */
function listProcesses(): ProcessRow[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1')
      // The name in parentheses may contain spaces: count from after it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const [state, parent, , session] = fields
      if (state === 'Z' || state === 'X') return []
      return [{ pid: Number(name), parent: Number(parent), session: Number(session) }]
    } catch {
      return []
    }
  })
}
