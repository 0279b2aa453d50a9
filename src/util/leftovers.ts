import { randomBytes } from 'node:crypto'
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isLeftBehind, createSharedMark } from './owner.ts'

/** A unique name that identifies the process that created it. */
export function createOwnName(): string {
  return `${createSharedMark()}.${randomBytes(12).toString('hex')}`
}

/** True for a name that `createOwnName` returns, in any process. */
export function isOwnName(name: string): boolean {
  return /^[0-9a-f]{8}\.\d+-\d+\.[0-9a-f]{24}$/.test(name)
}

/** Entries of dead processes in a folder of own names; the folder may be missing. */
export async function findLeftovers(dir: string): Promise<string[]> {
  const found: string[] = []
  for (const name of await listNames(dir)) {
    const path = join(dir, name)
    const { mtimeMs } = (await lstat(path).catch(() => undefined)) ?? { mtimeMs: Date.now() }
    if (isLeftBehind(name, Date.now() - mtimeMs)) found.push(path)
  }
  return found
}

/** Removes leftovers; concurrent removal by another process is not an error. */
export async function sweepLeftovers(
  dir: string,
  remove: (path: string) => Promise<void> | void = removeTree,
): Promise<number> {
  const found = await findLeftovers(dir)
  for (const path of found) await remove(path)
  return found.length
}

async function removeTree(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

/** Names in a folder; empty if it is missing. */
export async function listNames(dir: string): Promise<string[]> {
  return await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}
