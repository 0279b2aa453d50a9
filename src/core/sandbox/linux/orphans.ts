import { readdirSync, readFileSync } from 'node:fs'
import { killProcess } from '../../../util/kill-process.ts'

/** Scripts that bwrap starts. */
const GUEST_SCRIPTS = new Set(['/guest/init.py', '/guest/zygote.py'])

/**
 * Kills children of a bwrap that was killed between forking and releasing its child. Such a child
 * waits for ever, in its own namespace and outside of any control group.
 */
export function killOrphans(): void {
  for (const pid of findOrphans()) killProcess(pid)
}

/** True if the process is PID 1 of a run or zygote whose bwrap is gone. */
export function isOrphan(pid: number): boolean {
  const status = readProcFile(String(pid), 'status')
  const isFirst = /^NSpid:\t\d+(?:\t\d+)*\t1$/m.test(status)
  const argv = readProcFile(String(pid), 'cmdline').split('\0')
  if (!isFirst || !argv.some((argument) => GUEST_SCRIPTS.has(argument))) return false
  const parent = /^PPid:\t(\d+)$/m.exec(status)?.[1] ?? '0'
  return readProcFile(parent, 'comm') !== 'bwrap\n'
}

/** Lists children of a dead bwrap that have not executed the guest yet. */
function findOrphans(): number[] {
  return listPids().filter((pid) => {
    const isYetBwrap = readProcFile(String(pid), 'comm') === 'bwrap\n'
    return (
      isYetBwrap && isOrphan(pid) && readProcFile(String(pid), 'cmdline').includes('\0--args\0')
    )
  })
}

function listPids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    // No file descriptor is left to read /proc.
    return []
  }
}

function readProcFile(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}
