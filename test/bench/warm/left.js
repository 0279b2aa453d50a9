// Counts what finished runs leave on this machine, from outside, as the kernel shows it.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listDescendants, read, readEntryNames, readStartTime } from '../processes.js'

/** Lists everything on this machine that this process must clean up. */
export function leftovers() {
  globalThis.gc?.()
  return {
    processes: new Set([...listDescendants(), ...listOrphans()]).size,
    groups: listFolders('/sys/fs/cgroup').filter(isOurs).length,
    folders: readEntryNames(join(tmpdir(), `skills-runs-${process.getuid()}`)).filter(isOurs)
      .length,
    mounts: read('/proc/self/mountinfo').split('\n').filter(isOurs).length,
    files: readEntryNames('/proc/self/fd').length,
    memoryMiB: Math.round(process.memoryUsage.rss() / 1024 ** 2),
  }
}

/** Names of our files and cgroups contain the process id. */
const isOurs = (text) => /skills/.test(text) && text.includes(`.${process.pid}-`)

/**
 * Lists orphaned processes: they still see our folders, or are a bwrap that waits for a dead one.
 */
function listOrphans() {
  const since = readStartTime(process.pid)
  return readEntryNames('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && readStartTime(pid) >= since)
    .filter((pid) => read(`/proc/${pid}/mountinfo`).split('\n').some(isOurs) || isOrphan(pid))
}

function isOrphan(pid) {
  const status = read(`/proc/${pid}/status`)
  if (!/^Name:\tbwrap$/m.test(status) || !/^NSpid:.*\t1$/m.test(status)) return false
  return read(`/proc/${/^PPid:\t(\d+)$/m.exec(status)?.[1]}/comm`) !== 'bwrap\n'
}

function listFolders(path) {
  return readEntryNames(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => [join(path, name), ...listFolders(join(path, name))])
}
