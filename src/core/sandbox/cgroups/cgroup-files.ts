import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Creates a group and adds it to `created`, the list that is removed if a later step fails. */
export function createGroup(folder: string, created: string[]): string {
  mkdirSync(folder)
  created.push(folder)
  return folder
}

/**
 * Sets a limit and verifies it: a value that the kernel rounds down is accepted, one that it does
 * not report is not.
 */
export function setLimit(folder: string, file: string, value: number): void {
  const path = join(folder, file)
  // `r+` never creates a file.
  writeFileSync(path, String(value), { flag: 'r+' })
  const applied = Number(readFileSync(path, 'utf8'))
  if (!(applied <= value)) throw new Error(`${file} is ${applied}`)
}

/** Memory that the kernel may still charge to an empty group for the group to be reused. */
export const MAX_RESIDUAL_BYTES = 2 * 1024 ** 2

/** Reads a counter from a file of `name value` lines, or of a single number; 0 if it is missing. */
export function readCounter(file: string, name?: string): number {
  try {
    return parseCounter(readFileSync(file, 'utf8'), name)
  } catch {
    return 0
  }
}

/** Parses a counter from text that was already read. */
export function parseCounter(text: string, name?: string): number {
  if (name === undefined) return Number(text)
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.split(' ')[1] ?? 0)
}

/** Returns undefined for a number that could not be read. */
export function orUndefined(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}

export function listGroups(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Kills all processes of a group; with `cgroup.kill`, also those that fork meanwhile. */
export function killGroup(folder: string): void {
  try {
    const all = join(folder, 'cgroup.kill')
    if (existsSync(all)) return writeFileSync(all, '1')
    for (const line of readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n')) {
      // A process outside of our PID namespace is listed as 0; killing PID 0 would kill our own
      // process group.
      if (Number(line) > 0) process.kill(Number(line), 'SIGKILL')
    }
  } catch {
    // The group is gone already.
  }
}

/** Removes a group. Returns true if it no longer exists. */
export function removeGroup(folder: string): boolean {
  try {
    rmdirSync(folder)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
  return true
}
