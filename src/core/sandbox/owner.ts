import { readFileSync } from 'node:fs'

/** Names this process in what it leaves on the machine; the start time tells reused ids apart. */
export function ownerMark(pid: number = process.pid): string {
  return `${pid}-${startOf(pid) ?? 0}`
}

/** Whether the process that made something of this name is gone. */
export function isOwnerGone(name: string): boolean {
  const match = /(?:^|\.)(\d+)-(\d+)\./.exec(name)
  return match !== null && startOf(Number(match[1])) !== match[2]
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
