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

/** What counting found. */
interface Found extends Room {
  /** Sizes by folder: a version never changes, so none is measured twice. */
  sizes: ReadonlyMap<string, number>
  countedAt: number
  took: number
}

const BLOCK = 4096
/** Counting may take this share of the time: other processes add and operators remove. */
const SHARE = 0.05

/** The room that created skills take, as one runtime knows it. */
export class CreatedRoom {
  #root: string
  #coming: Room = { skills: 0, bytes: 0 }
  #found: Found = { skills: 0, bytes: 0, sizes: new Map(), countedAt: -Infinity, took: 0 }
  /** One decision after the other: of those that do not fit together, the first ones do. */
  #line: Promise<unknown> = Promise.resolve()

  constructor(root: string) {
    this.#root = root
  }

  /** Takes room for one more skill, to be told whether it was kept. Throws `skill/quota`. */
  async take(
    files: readonly Uint8Array[],
    limits: CreatedLimits,
  ): Promise<(isKept: boolean) => void> {
    const bytes = files.reduce((sum, each) => sum + onDisk(each.length), 0)
    const decision = this.#line.then(async () => await this.#decide(bytes, limits))
    this.#line = decision.catch(() => {})
    await decision
    return (isKept) => {
      this.#coming.skills -= 1
      this.#coming.bytes -= bytes
      if (!isKept) return
      this.#found.skills += 1
      this.#found.bytes += bytes
    }
  }

  async #decide(bytes: number, limits: CreatedLimits): Promise<void> {
    const isOld = performance.now() - this.#found.countedAt > this.#found.took / SHARE
    if (isOld) this.#found = await count(this.#root, this.#found)
    // Skills that were removed meanwhile must not cause a refusal.
    if (this.#problem(bytes, limits) && !isOld) this.#found = await count(this.#root, this.#found)
    const problem = this.#problem(bytes, limits)
    if (problem) throw full(problem)
    this.#coming.skills += 1
    this.#coming.bytes += bytes
  }

  #problem(bytes: number, limits: CreatedLimits): string | undefined {
    if (this.#found.skills + this.#coming.skills >= limits.maxSkills) {
      return `There may be ${limits.maxSkills} created skills, and there are as many`
    }
    if (this.#found.bytes + this.#coming.bytes + bytes <= limits.quotaBytes) return undefined
    const size = formatBytes(limits.quotaBytes)
    return `All created skills together may have ${size}, and this one would be too much`
  }
}

async function count(root: string, before: Found): Promise<Found> {
  const start = performance.now()
  const sizes = new Map<string, number>()
  for (const name of await foldersIn(root)) {
    for (const version of await foldersIn(join(root, name))) {
      const dir = join(root, name, version)
      sizes.set(dir, before.sizes.get(dir) ?? (await sizeOf(dir)))
    }
  }
  const bytes = [...sizes.values()].reduce((sum, each) => sum + each, 0)
  const countedAt = performance.now()
  return { skills: sizes.size, bytes, sizes, countedAt, took: countedAt - start }
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

function full(problem: string): SkillsError {
  return new SkillsError('skill/quota', problem, {
    hint: 'Delete some below the folder "created" of "skills config directories.data", or raise store.created.max_skills and store.created.quota',
  })
}
