import { readdirSync, readFileSync } from 'node:fs'
import { killProcess } from '../../../util/kill-process.ts'

/** What bwrap was to start. */
const GUESTS = new Set(['/guest/init.py', '/guest/zygote.py'])

/**
 * Ends what bwrap leaves when it is killed between making its child and letting it go on: the child
 * waits for a word that nobody will say, in a namespace of its own and in no control group.
 */
export function endOrphans(): void {
  for (const pid of findOrphans()) killProcess(pid)
}

/** Whether that is a first process, of a run or a zygote, whose bwrap is gone. */
export function isOrphan(pid: number): boolean {
  const status = read(String(pid), 'status')
  const isFirst = /^NSpid:\t\d+(?:\t\d+)*\t1$/m.test(status)
  const words = read(String(pid), 'cmdline').split('\0')
  if (!isFirst || !words.some((word) => GUESTS.has(word))) return false
  const parent = /^PPid:\t(\d+)$/m.exec(status)?.[1] ?? '0'
  return read(parent, 'comm') !== 'bwrap\n'
}

/** Children of bwrap that have become nothing else yet and whose bwrap is gone. */
function findOrphans(): number[] {
  return processes().filter((pid) => {
    const isYetBwrap = read(String(pid), 'comm') === 'bwrap\n'
    return isYetBwrap && isOrphan(pid) && read(String(pid), 'cmdline').includes('\0--args\0')
  })
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    // No descriptor is left to look with.
    return []
  }
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}
