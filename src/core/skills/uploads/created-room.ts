import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { formatBytes } from '../../../util/quantity.ts'

/** What all created skills together may be. */
export interface CreatedLimits {
  /** Each version counts. */
  maxSkills: number
  /** As disks count: every file takes whole blocks. */
  quotaBytes: number
}

interface Room {
  skills: number
  bytes: number
}

/** What a process knows of a folder of created skills. */
interface Known extends Room {
  /** Let in and not there yet. */
  coming: Room
  /** Sizes by folder: a version never changes, so none is measured twice. */
  sizes: Map<string, number>
  countedAt: number
  took: number
  /** One decision after the other: of those that do not fit together, the first ones do. */
  line: Promise<unknown>
}

const BLOCK = 4096
/** Counting may take this share of the time: other processes add and operators remove. */
const SHARE = 0.05

const known = new Map<string, Known>()

/** Takes room for one more skill, to be told whether it was kept. Throws `skill/quota`. */
export async function takeRoom(
  root: string,
  files: readonly Uint8Array[],
  limits: CreatedLimits,
): Promise<(isKept: boolean) => void> {
  const room = known.get(root) ?? unknownRoom()
  known.set(root, room)
  const bytes = files.reduce((sum, each) => sum + onDisk(each.length), 0)
  const decide = async () => {
    const isOld = performance.now() - room.countedAt > room.took / SHARE
    if (isOld) await count(root, room)
    // Nobody is refused by what is gone meanwhile.
    if (problemOf(room, bytes, limits) && !isOld) await count(root, room)
    const problem = problemOf(room, bytes, limits)
    if (problem) throw full(problem)
    room.coming.skills += 1
    room.coming.bytes += bytes
  }
  const decision = room.line.then(decide)
  room.line = decision.catch(() => {})
  await decision
  return (isKept) => {
    room.coming.skills -= 1
    room.coming.bytes -= bytes
    if (!isKept) return
    room.skills += 1
    room.bytes += bytes
  }
}

function unknownRoom(): Known {
  const none = { skills: 0, bytes: 0 }
  const line = Promise.resolve()
  return { ...none, coming: { ...none }, sizes: new Map(), countedAt: -Infinity, took: 0, line }
}

async function count(root: string, room: Known): Promise<void> {
  const start = performance.now()
  const sizes = new Map<string, number>()
  for (const name of await foldersIn(root)) {
    for (const version of await foldersIn(join(root, name))) {
      const dir = join(root, name, version)
      sizes.set(dir, room.sizes.get(dir) ?? (await sizeOf(dir)))
    }
  }
  room.sizes = sizes
  room.skills = sizes.size
  room.bytes = [...sizes.values()].reduce((sum, each) => sum + each, 0)
  room.countedAt = performance.now()
  room.took = room.countedAt - start
}

async function foldersIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => [])
  return entries.flatMap((each) =>
    each.isDirectory() && !each.name.startsWith('.') ? [each.name] : [],
  )
}

async function sizeOf(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true }).catch(() => [])
  let size = 0
  for (const each of entries) {
    if (!each.isFile()) continue
    const found = await stat(join(each.parentPath, each.name)).catch(() => undefined)
    size += onDisk(found?.size ?? 0)
  }
  return size
}

function onDisk(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BLOCK)) * BLOCK
}

function problemOf(room: Known, bytes: number, limits: CreatedLimits): string | undefined {
  if (room.skills + room.coming.skills >= limits.maxSkills) {
    return `There may be ${limits.maxSkills} created skills, and there are as many`
  }
  if (room.bytes + room.coming.bytes + bytes <= limits.quotaBytes) return undefined
  const size = formatBytes(limits.quotaBytes)
  return `All created skills together may have ${size}, and this one would be too much`
}

function full(problem: string): SkillsError {
  return new SkillsError('skill/quota', problem, {
    hint: 'Delete some below the folder "created" of "skills config directories.data", or raise store.created.max_skills and store.created.quota',
  })
}
