import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { once } from './once.ts'

/** How long something of another machine or container is taken to be in use. */
const TRUSTED_MS = 24 * 3_600_000

/** Names this process in what it leaves on the machine; the start time tells reused ids apart. */
const ownerMark = once(() => `${process.pid}-${startOf(process.pid) ?? 0}`)

/** The same where other machines and containers may see it as well: `<place>.<pid>-<start>`. */
export function sharedMark(): string {
  return `${place()}.${ownerMark()}`
}

/** Whether what bears a shared mark was left behind; what cannot be asked counts by its age. */
export function isLeftBehind(name: string, ageMs: number): boolean {
  const match = /^([0-9a-f]{8})\.(\d+)-(\d+)(?:\.|$)/.exec(name)
  if (match === null) return false
  if (match[1] !== place()) return ageMs > TRUSTED_MS
  return isGone(Number(match[2]), match[3] as string)
}

/** Where process ids mean the same: one boot of one machine, one namespace. */
const place = once(() =>
  createHash('sha256')
    .update(read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')))
    .update(read(() => readlinkSync('/proc/self/ns/pid')))
    .digest('hex')
    .slice(0, 8),
)

function read(look: () => string): string {
  try {
    return look()
  } catch {
    return ''
  }
}

function isGone(pid: number, start: string): boolean {
  const found = startOf(pid)
  if (found !== undefined || startOf(process.pid) !== undefined) return found !== start
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in brackets, may hold spaces: count from behind it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
