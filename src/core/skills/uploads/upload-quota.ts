import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { listTreeAsync } from '../../../util/list-tree.ts'
import { formatBytes } from '../../../util/quantity.ts'

/** Limits of all uploaded skills together. */
export interface UploadLimits {
  /** Maximum number of versions. */
  maxSkills: number
  /** Bytes on disk: every file occupies whole blocks. */
  quotaBytes: number
}

/** Selects versions of skills. */
type VersionFilter = (name: string, version: string) => boolean

interface QuotaUsage {
  skills: number
  bytes: number
}

/** Result of a measurement. */
interface MeasuredUsage extends QuotaUsage {
  /** Sizes by folder: a version never changes, so it is measured only once. */
  sizes: ReadonlyMap<string, number>
  countedAt: number
  took: number
}

const BLOCK = 4096
/** Maximum share of time spent on measuring: other processes add and operators remove skills. */
const RECOUNT_SHARE = 0.05

/** Space that uploaded skills use, as known to one runtime. */
export class UploadQuota {
  #root: string
  #isCounted: VersionFilter
  #reserved: QuotaUsage = { skills: 0, bytes: 0 }
  #measured: MeasuredUsage = { skills: 0, bytes: 0, sizes: new Map(), countedAt: -Infinity, took: 0 }
  /** Serializes decisions: if uploads do not fit together, the first ones succeed. */
  #queue: Promise<unknown> = Promise.resolve()

  /** Counts all versions below the root, or those that the filter selects. */
  constructor(root: string, isCounted: VersionFilter = () => true) {
    this.#root = root
    this.#isCounted = isCounted
  }

  /**
   * Reserves space for one upload; the result must be called with the outcome. Throws
   * `skill/quota`.
   */
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
    if (isOld) this.#measured = await this.#measure()
    // Measures again before a refusal, because skills may have been removed.
    if (this.#findProblem(bytes, limits) && !isOld) this.#measured = await this.#measure()
    const problem = this.#findProblem(bytes, limits)
    if (problem) throw quotaExceededError(problem)
    this.#reserved.skills += 1
    this.#reserved.bytes += bytes
  }

  async #measure(): Promise<MeasuredUsage> {
    return await measureUsage(this.#root, this.#measured, this.#isCounted)
  }

  #findProblem(bytes: number, limits: UploadLimits): string | undefined {
    if (this.#measured.skills + this.#reserved.skills >= limits.maxSkills) {
      return `The maximum of ${limits.maxSkills} uploaded skills is reached`
    }
    if (this.#measured.bytes + this.#reserved.bytes + bytes <= limits.quotaBytes) return undefined
    const size = formatBytes(limits.quotaBytes)
    return `The upload exceeds the quota of ${size} for all uploaded skills`
  }
}

async function measureUsage(
  root: string,
  before: MeasuredUsage,
  isCounted: VersionFilter,
): Promise<MeasuredUsage> {
  const start = performance.now()
  const sizes = new Map<string, number>()
  for (const name of await listFolders(root)) {
    for (const version of await listFolders(join(root, name))) {
      if (!isCounted(name, version)) continue
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
  const entries = await listTreeAsync(dir).catch(() => [])
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
    hint: 'Delete some in the folder "created" of "skills config directories.data", or raise store.quota',
  })
}
