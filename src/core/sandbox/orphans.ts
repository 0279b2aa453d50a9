import { readdirSync, readFileSync } from 'node:fs'

/** What bwrap was to start. */
const GUESTS = new Set(['/guest/init.py', '/guest/zygote.py'])

/**
 * Ends what bwrap leaves when it is killed between making its child and letting it go on: the child
 * waits for a word that nobody will say, in a namespace of its own and in no control group.
 */
export function endOrphans(): void {
  for (const pid of findOrphans()) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone meanwhile, or another user's.
    }
  }
}

/** Children of bwrap that have become nothing else yet and whose bwrap is gone. */
export function findOrphans(): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    const status = read(name, 'status')
    const isFirst = /^NSpid:\t\d+(?:\t\d+)*\t1$/m.test(status)
    if (!/^Name:\tbwrap$/m.test(status) || !isFirst) return []
    const words = read(name, 'cmdline').split('\0')
    if (!words.includes('--args') || !words.some((word) => GUESTS.has(word))) return []
    const parent = /^PPid:\t(\d+)$/m.exec(status)?.[1] ?? '0'
    return read(parent, 'comm') === 'bwrap\n' ? [] : [Number(name)]
  })
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch {
    return ''
  }
}
