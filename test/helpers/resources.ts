import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Resources that a run could leak, by kind. */
export interface OwnedResources {
  processes: string[]
  groups: string[]
  mounts: string[]
  files: string[]
  folders: string[]
}

export interface ResourceOwner {
  /** The process that started the runs; may be dead. */
  pid: number
  /** Part of the command line of the runs' processes. */
  mark: string
  /** Its private folder for temporary files. */
  tmp: string
}

/** Lists the resources of a process, earlier ones included. */
export function listResources(owner: ResourceOwner): OwnedResources {
  const { pid, tmp } = owner
  return {
    processes: listOwnProcesses(owner),
    groups: listFoldersBelow('/sys/fs/cgroup').filter((path) => isOwnGroup(pid, path)),
    mounts: readTextOrEmpty('/proc/self/mountinfo')
      .split('\n')
      .filter((line) => line.includes(tmp)),
    files: pid === process.pid ? openFiles() : [],
    folders: readNames(tmp).map((name) => join(tmp, name)),
  }
}

/** Resources that were added. */
export function findLeaks(before: OwnedResources, after: OwnedResources): Partial<OwnedResources> {
  const kinds = Object.keys(after) as (keyof OwnedResources)[]
  return Object.fromEntries(
    kinds
      .map((kind) => [kind, subtractList(after[kind], before[kind])] as const)
      .filter(([, list]) => list.length > 0),
  )
}

function listOwnProcesses({ pid, mark }: ResourceOwner): string[] {
  return readNames('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== pid)
    .filter((name) => {
      const isMarked = readTextOrEmpty(`/proc/${name}/cmdline`).includes(mark)
      const isGrouped = isOwnGroup(pid, readTextOrEmpty(`/proc/${name}/cgroup`))
      return isMarked || isGrouped || isBelow(Number(name), pid)
    })
    .map((name) => `${name} ${readTextOrEmpty(`/proc/${name}/cmdline`).replaceAll('\0', ' ')}`)
}

function isBelow(pid: number, ancestor: number): boolean {
  for (let at = pid; at > 1;) {
    at = Number(/^PPid:\s*(\d+)/m.exec(readTextOrEmpty(`/proc/${at}/status`))?.[1] ?? 0)
    if (at === ancestor) return true
  }
  return false
}

/** Targets of file descriptors, without the numbers that distinguish pipes. */
function openFiles(): string[] {
  return readNames('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`).replace(/\d+/g, 'N')]
    } catch {
      // The descriptor of the listing itself.
      return []
    }
  })
}

function listFoldersBelow(dir: string): string[] {
  let entries
  try {
    entries = readdirSync(dir, { withFileTypes: true })
  } catch {
    return []
  }
  const own = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(dir, name))
  return own.flatMap((path) => [path, ...listFoldersBelow(path)])
}

function subtractList(list: readonly string[], removed: readonly string[]): string[] {
  const pool = [...removed]
  return list.filter((each) => {
    const at = pool.indexOf(each)
    if (at === -1) return true
    pool.splice(at, 1)
    return false
  })
}

function readNames(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

function readTextOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** True if a path is in a control group that this process created for a run. */
function isOwnGroup(pid: number, path: string): boolean {
  return new RegExp(`/skills\\.[0-9a-f]{8}\\.${pid}-`).test(path)
}
