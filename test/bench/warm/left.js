// What runs leave on this machine when they are over: counted from outside, by what the kernel shows.
import { readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Processes below one of ours, or below this one. */
export function processesBelow(top = process.pid) {
  const found = []
  for (const waiting = [top]; waiting.length > 0;) {
    const children = childrenOf(waiting.pop())
    found.push(...children)
    waiting.push(...children)
  }
  return found
}

/** All that is there now of what this process has to clean up. */
export function leftovers() {
  globalThis.gc?.()
  return {
    processes: new Set([...processesBelow(), ...processesElsewhere()]).size,
    groups: foldersBelow('/sys/fs/cgroup').filter(isOurs).length,
    folders: namesIn(join(tmpdir(), `skills-runs-${process.getuid()}`)).filter(isOurs).length,
    mounts: read('/proc/self/mountinfo').split('\n').filter(isOurs).length,
    files: namesIn('/proc/self/fd').length,
    memoryMiB: Math.round(process.memoryUsage.rss() / 1024 ** 2),
  }
}

/** The names of what is ours hold the number of this process. */
const isOurs = (text) => /skills/.test(text) && text.includes(`.${process.pid}-`)

/** What lost its parents: it still sees folders of ours, or is a bwrap that waits for one that is dead. */
function processesElsewhere() {
  const since = startOf(process.pid)
  return namesIn('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && startOf(pid) >= since)
    .filter((pid) => read(`/proc/${pid}/mountinfo`).split('\n').some(isOurs) || isOrphan(pid))
}

function isOrphan(pid) {
  const status = read(`/proc/${pid}/status`)
  if (!/^Name:\tbwrap$/m.test(status) || !/^NSpid:.*\t1$/m.test(status)) return false
  return read(`/proc/${/^PPid:\t(\d+)$/m.exec(status)?.[1]}/comm`) !== 'bwrap\n'
}

function childrenOf(pid) {
  return namesIn(`/proc/${pid}/task`).flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
}

function startOf(pid) {
  const stat = read(`/proc/${pid}/stat`)
  // The name may hold spaces: count from behind it.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? -1)
}

function foldersBelow(path) {
  return namesIn(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [join(path, name), ...foldersBelow(join(path, name))])
}

/** Nothing of what has gone meanwhile. */
function namesIn(path, options) {
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
