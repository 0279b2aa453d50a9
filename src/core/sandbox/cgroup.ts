import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isOwnerGone, ownerMark } from './owner.ts'

const ROOT = '/sys/fs/cgroup'
const PREFIX = 'skills.'

/** Limits over all processes of one run, made for it and removed with it. */
export interface ControlGroup {
  kind: 'cgroup1' | 'cgroup2'
  add(pid: number): Promise<void>
  memoryHit(): boolean
  processesHit(): boolean
  /** Ends what is left and removes the group. */
  remove(): Promise<void>
}

export interface GroupLimits {
  memoryBytes: number
  processes: number
}

/** Makes a group where this process may; undefined where it may not or a limit does not hold. */
export function makeControlGroup(id: string, limits: GroupLimits): ControlGroup | undefined {
  const name = `${PREFIX}${ownerMark()}.${id}`
  const folders: string[] = []
  try {
    return existsSync(join(ROOT, 'cgroup.controllers'))
      ? makeVersion2(name, limits, folders)
      : makeVersion1(name, limits, folders)
  } catch {
    for (const folder of folders) removeNow(folder)
    return undefined
  }
}

/** Removes groups whose process is gone. */
export function sweepControlGroups(): void {
  for (const parent of [ROOT, parentOf('memory'), parentOf('pids')]) {
    for (const name of namesIn(parent)) {
      if (name.startsWith(PREFIX) && isOwnerGone(name)) removeNow(join(parent, name))
    }
  }
}

function makeVersion2(name: string, limits: GroupLimits, made: string[]): ControlGroup {
  const folder = make(join(ROOT, name), made)
  setLimit(folder, 'memory.max', limits.memoryBytes)
  if (existsSync(join(folder, 'memory.swap.max'))) setLimit(folder, 'memory.swap.max', 0)
  setLimit(folder, 'memory.oom.group', 1)
  setLimit(folder, 'pids.max', limits.processes)
  return {
    kind: 'cgroup2',
    add: async (pid) => await writeFile(join(folder, 'cgroup.procs'), String(pid)),
    memoryHit: () => counter(join(folder, 'memory.events'), 'oom_kill') > 0,
    processesHit: () => counter(join(folder, 'pids.events'), 'max') > 0,
    remove: async () => await removeAll([folder]),
  }
}

function makeVersion1(name: string, limits: GroupLimits, made: string[]): ControlGroup {
  const memory = make(join(parentOf('memory'), name), made)
  const pids = make(join(parentOf('pids'), name), made)
  setLimit(memory, 'memory.limit_in_bytes', limits.memoryBytes)
  // Only after the limit itself, which it may not be below; not there without swap accounting.
  const withSwap = 'memory.memsw.limit_in_bytes'
  if (existsSync(join(memory, withSwap))) setLimit(memory, withSwap, limits.memoryBytes)
  setLimit(pids, 'pids.max', limits.processes)
  return {
    kind: 'cgroup1',
    add: async (pid) => {
      for (const folder of [memory, pids])
        await writeFile(join(folder, 'cgroup.procs'), String(pid))
    },
    memoryHit: () => counter(join(memory, 'memory.oom_control'), 'oom_kill') > 0,
    processesHit: () => counter(join(pids, 'pids.events'), 'max') > 0,
    remove: async () => await removeAll([memory, pids]),
  }
}

function make(folder: string, made: string[]): string {
  mkdirSync(folder)
  made.push(folder)
  return folder
}

/** A limit that the kernel rounded is fine, one that it does not show is none. */
function setLimit(folder: string, file: string, value: number): void {
  const path = join(folder, file)
  if (!existsSync(path)) throw new Error(`no ${file}`)
  writeFileSync(path, String(value))
  const held = Number(readFileSync(path, 'utf8'))
  if (!(held <= value)) throw new Error(`${file} is ${held}`)
}

/** The group of this process: a new one below it counts for its limits as well. */
function parentOf(controller: string): string {
  const base = join(ROOT, controller)
  const line = readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .find((each) => each.split(':')[1]?.split(',').includes(controller))
  const own = join(base, line?.split(':').slice(2).join(':') ?? '/')
  return existsSync(own) ? own : base
}

function counter(file: string, name: string): number {
  try {
    const line = readFileSync(file, 'utf8')
      .split('\n')
      .find((each) => each.startsWith(`${name} `))
    return Number(line?.split(' ')[1] ?? 0)
  } catch {
    return 0
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

async function removeAll(folders: readonly string[]): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    if (folders.map(removeNow).every(Boolean)) return
    for (const folder of folders) killMembers(folder)
    await sleep(10)
  }
}

function killMembers(folder: string): void {
  try {
    for (const pid of readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n')) {
      if (pid !== '') process.kill(Number(pid), 'SIGKILL')
    }
  } catch {
    // Gone meanwhile.
  }
}

function removeNow(folder: string): boolean {
  try {
    rmdirSync(folder)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
  return true
}
