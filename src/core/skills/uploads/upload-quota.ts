import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { formatBytes } from '../../../util/quantity.ts'

/** What all created skills together may be. */
export interface UploadLimits {
  /** Each version counts. */
  maxSkills: number
  /** As disks count: every file takes whole blocks. */
  quotaBytes: number
}

interface QuotaUsage {
  skills: number
  bytes: number
}

/** What counting found. */
interface MeasuredUsage extends QuotaUsage {
  /** Sizes by folder: a version never changes, so none is measured twice. */
  sizes: ReadonlyMap<string, number>
  countedAt: number
  took: number
}

const BLOCK = 4096
/** Counting may take this share of the time: other processes add and operators remove. */
const RECOUNT_SHARE = 0.05

/** The room that created skills take, as one runtime knows it. */
export class UploadQuota {
  #root: string
  #reserved: QuotaUsage = { skills: 0, bytes: 0 }
  #measured: MeasuredUsage = { skills: 0, bytes: 0, sizes: new Map(), countedAt: -Infinity, took: 0 }
  /** One decision after the other: of those that do not fit together, the first ones do. */
  #queue: Promise<unknown> = Promise.resolve()

  constructor(root: string) {
    this.#root = root
  }

  /** Takes room for one more skill, to be told whether it was kept. Throws `skill/quota`. */
  async reserve(
    files: readonly Uint8Array[],
    limits: UploadLimits,
  ): Promise<(isKept: boolean) => void> {
    const bytes = files.reduce((sum, each) => sum + roundToBlocks(each.length), 0)
    const decision = this.#queue.then(async () => await this.#checkAndReserve(bytes, limits))
    this.#queue = decision.catch(() => {})
    await decision
    return (isKept) => {
      this.#reserved.skills -= 1
      this.#reserved.bytes -= bytes
      if (!isKept) return
      this.#measured.skills += 1
      this.#measured.bytes += bytes
    }
  }

  async #checkAndReserve(bytes: number, limits: UploadLimits): Promise<void> {
    const isOld = performance.now() - this.#measured.countedAt > this.#measured.took / RECOUNT_SHARE
    if (isOld) this.#measured = await measureUsage(this.#root, this.#measured)
    // Skills that were removed meanwhile must not cause a refusal.
    if (this.#findProblem(bytes, limits) && !isOld) this.#measured = await measureUsage(this.#root, this.#measured)
    const problem = this.#findProblem(bytes, limits)
    if (problem) throw quotaExceededError(problem)
    this.#reserved.skills += 1
    this.#reserved.bytes += bytes
  }

  #findProblem(bytes: number, limits: UploadLimits): string | undefined {
    if (this.#measured.skills + this.#reserved.skills >= limits.maxSkills) {
      return `There may be ${limits.maxSkills} created skills, and there are as many`
    }
    if (this.#measured.bytes + this.#reserved.bytes + bytes <= limits.quotaBytes) return undefined
    const size = formatBytes(limits.quotaBytes)
    return `All created skills together may have ${size}, and this one would be too much`
  }
}

async function measureUsage(root: string, before: MeasuredUsage): Promise<MeasuredUsage> {
  const start = performance.now()
  const sizes = new Map<string, number>()
  for (const name of await listFolders(root)) {
    for (const version of await listFolders(join(root, name))) {
      const dir = join(root, name, version)
      sizes.set(dir, before.sizes.get(dir) ?? (await measureSkill(dir)))
    }
  }
  const bytes = [...sizes.values()].reduce((sum, each) => sum + each, 0)
  const countedAt = performance.now()
  return { skills: sizes.size, bytes, sizes, countedAt, took: countedAt - start }
}

async function listFolders(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => [])
  return entries.flatMap((each) =>
    each.isDirectory() && !each.name.startsWith('.') ? [each.name] : [],
  )
}

async function measureSkill(dir: string): Promise<number> {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true }).catch(() => [])
  let size = 0
  for (const each of entries) {
    if (!each.isFile()) continue
    const found = await stat(join(each.parentPath, each.name)).catch(() => undefined)
    size += roundToBlocks(found?.size ?? 0)
  }
  return size
}

function roundToBlocks(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / BLOCK)) * BLOCK
}

function quotaExceededError(problem: string): SkillsError {
  return new SkillsError('skill/quota', problem, {
    hint: 'Delete some below the folder "created" of "skills config directories.data", or raise store.created.max_skills and store.created.quota',
  })
}
