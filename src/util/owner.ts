import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { once } from './once.ts'

/** Age up to which entries of another machine or container count as in use. */
const FOREIGN_OWNER_MS = 24 * 3_600_000

/** Id of this process in its files; the start time distinguishes reused pids. */
const getOwnerMark = once(() => `${process.pid}-${readStartTime(process.pid) ?? 0}`)

/** Id that is unique across machines and containers: `<namespace>.<pid>-<start>`. */
export function createSharedMark(): string {
  return `${getNamespaceId()}.${getOwnerMark()}`
}

/** True if the owner of a shared mark is gone; an owner that cannot be checked is judged by age. */
export function isLeftBehind(name: string, ageMs: number): boolean {
  const match = /^([0-9a-f]{8})\.(\d+)-(\d+)(?:\.|$)/.exec(name)
  if (match === null) return false
  if (match[1] !== getNamespaceId()) return ageMs > FOREIGN_OWNER_MS
  return isProcessGone(Number(match[2]), match[3] as string)
}

/** Scope in which pids are unique: one boot of one machine, one namespace. */
const getNamespaceId = once(() =>
  createHash('sha256')
    .update(
      readOrEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')) || hostname(),
    )
    .update(readOrEmpty(() => readlinkSync('/proc/self/ns/pid')))
    .digest('hex')
    .slice(0, 8),
)

function readOrEmpty(readValue: () => string): string {
  try {
    return readValue()
  } catch {
    return ''
  }
}

function isProcessGone(pid: number, start: string): boolean {
  const found = readStartTime(pid)
  if (found !== undefined || readStartTime(process.pid) !== undefined) return found !== start
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}

function readStartTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain spaces: count from after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
