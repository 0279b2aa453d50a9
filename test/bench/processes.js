// Processes as the kernel shows them in /proc: parents, start times, CPU time.
import { readdirSync, readFileSync } from 'node:fs'

/** USER_HZ is 100 on every architecture that Node runs on. */
const TICK_MS = 10

/** Lists the descendants of a process, by default of this one. */
export function listDescendants(top = process.pid) {
  const found = []
  for (const waiting = [top]; waiting.length > 0;) {
    const children = listChildren(waiting.pop())
    found.push(...children)
    waiting.push(...children)
  }
  return found
}

function listChildren(pid) {
  return readEntryNames(`/proc/${pid}/task`).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
}

/** CPU time of a process, all threads included. */
export function readProcessMs(pid) {
  const { user, system } = readStat(pid)
  return (user + system) * TICK_MS
}

/** CPU time of all processes that this process has waited for, and that those have waited for. */
export function readEndedMs(pid = process.pid) {
  const { endedUser, endedSystem } = readStat(pid)
  return (endedUser + endedSystem) * TICK_MS
}

/** CPU time of a process and of all its descendants, living and ended, by default of this one. */
export function readTreeMs(top = process.pid) {
  return [top, ...listDescendants(top)].reduce(
    (sum, pid) => sum + readProcessMs(pid) + readEndedMs(pid),
    0,
  )
}

/** Clock ticks since the machine started; 0 for a process that has disappeared. */
export function readStartTime(pid) {
  return readStat(pid).start
}

/** Fields of /proc/<pid>/stat; all are 0 for a process that has disappeared. */
function readStat(pid) {
  const stat = read(`/proc/${pid}/stat`)
  // The name may contain spaces: count the fields after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const field = (at) => Number(fields[at] ?? 0)
  return {
    user: field(11),
    system: field(12),
    endedUser: field(13),
    endedSystem: field(14),
    start: field(19),
  }
}

/** Returns nothing for a path that has disappeared meanwhile. */
export function readEntryNames(path, options) {
  try {
    return readdirSync(path, options)
  } catch {
    return []
  }
}

export function read(path) {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
