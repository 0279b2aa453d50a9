import { readdirSync, readFileSync } from 'node:fs'
import { killProcess } from '../../../util/kill-process.ts'

/** What bwrap was to start. */
const GUEST_SCRIPTS = new Set(['/guest/init.py', '/guest/zygote.py'])

/**
 * Ends what bwrap leaves when it is killed between making its child and letting it go on: the child
 * waits for a word that nobody will say, in a namespace of its own and in no control group.
 */
export function killOrphans(): void {
  for (const pid of findOrphans()) killProcess(pid)
}

/** Whether that is a first process, of a run or a zygote, whose bwrap is gone. */
export function isOrphan(pid: number): boolean {
  const status = readProcFile(String(pid), 'status')
  const isFirst = /^NSpid:\t\d+(?:\t\d+)*\t1$/m.test(status)
  const words = readProcFile(String(pid), 'cmdline').split('\0')
  if (!isFirst || !words.some((word) => GUEST_SCRIPTS.has(word))) return false
  const parent = /^PPid:\t(\d+)$/m.exec(status)?.[1] ?? '0'
  return readProcFile(parent, 'comm') !== 'bwrap\n'
}

/** Children of bwrap that have become nothing else yet and whose bwrap is gone. */
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
    // No descriptor is left to look with.
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
