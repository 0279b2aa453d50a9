import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

/** Links into /usr on most systems, folders of their own elsewhere; a container has neither. */
const SYSTEM_FOLDERS = ['/bin', '/lib', '/lib32', '/lib64', '/sbin']
/** Engines mount over these, whatever they are told. */
const MOUNTED_OVER = ['hosts', 'hostname', 'resolv.conf', 'mtab']

/** What the host's own programs need to start. */
export function systemMounts(): { source: string; target: string }[] {
  return ['/usr', ...SYSTEM_FOLDERS]
    .filter((folder) => existsSync(folder))
    .map((folder) => ({ source: realpathSync(folder), target: folder }))
}

/** Puts empty files where an engine will mount its own. */
export function addMountPoints(etc: string): void {
  for (const name of MOUNTED_OVER) {
    const path = join(etc, name)
    if (lstatSync(path, { throwIfNoEntry: false })) continue
    writeFileSync(path, '')
    chmodSync(path, 0o444)
  }
}

/** As much as is asked for, or as this process may itself. */
export function atMost(limit: 'open files' | 'processes', wanted: number): number {
  const line = readFileSync('/proc/self/limits', 'utf8')
    .split('\n')
    .find((each) => each.startsWith(`Max ${limit} `))
  const hard = Number(line?.trim().split(/\s{2,}/)[2])
  return Number.isFinite(hard) ? Math.min(wanted, hard) : wanted
}
