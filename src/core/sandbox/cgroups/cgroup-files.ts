import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes a group; `made` is what has to go again where a later step fails. */
export function createGroup(folder: string, made: string[]): string {
  mkdirSync(folder)
  made.push(folder)
  return folder
}

/** A limit that the kernel rounded is fine, one that it does not show is none. */
export function setLimit(folder: string, file: string, value: number): void {
  const path = join(folder, file)
  // Never made where it is not there.
  writeFileSync(path, String(value), { flag: 'r+' })
  const held = Number(readFileSync(path, 'utf8'))
  if (!(held <= value)) throw new Error(`${file} is ${held}`)
}

/** What the kernel may still count for a group whose processes are gone, for it to serve again. */
export const MAX_RESIDUAL_BYTES = 2 * 1024 ** 2

/** The value of one line of a file of `name value` lines, or of a file of one number; 0 where it is not there. */
export function readCounter(file: string, name?: string): number {
  try {
    return parseCounter(readFileSync(file, 'utf8'), name)
  } catch {
    return 0
  }
}

/** The same of a text that was read. */
export function parseCounter(text: string, name?: string): number {
  if (name === undefined) return Number(text)
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.split(' ')[1] ?? 0)
}

export function listGroups(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Ends all processes of a group, those that start meanwhile included where the kernel can. */
export function killGroup(folder: string): void {
  try {
    const all = join(folder, 'cgroup.kill')
    if (existsSync(all)) return writeFileSync(all, '1')
    for (const line of readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n')) {
      // What lies outside of our process namespace is listed as 0, which would mean ourselves.
      if (Number(line) > 0) process.kill(Number(line), 'SIGKILL')
    }
  } catch {
    // Gone meanwhile.
  }
}

/** Whether the group is no more. */
export function removeGroup(folder: string): boolean {
  try {
    rmdirSync(folder)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
  return true
}
