import { realpathSync } from 'node:fs'
import { loadIndex, saveIndex, type RootIndex } from './index-file.ts'
import type { RepositoryProblem, SkillEntry } from './repository.ts'
import { scanRoot, type IndexedSkill } from './scan.ts'
import { isSameSignature, signFolder, type SkillSignature } from './skill-signature.ts'

/**
 * How a repository treats files that change after it read a skill:
 *
 * - `live`: files are not followed; each run uses their current state
 * - `renewed`: an edit is reported with `forget`, and then counts
 * - `pinned`: an edit counts after `refresh`; until then the skill is refused
 */
export type SkillTracking = 'live' | 'renewed' | 'pinned'

interface RootScannerOptions {
  /** Absolute folders, in order of precedence. */
  roots: readonly string[]
  uploads: string | undefined
  cacheDir: string | undefined
  tracking: SkillTracking
}

interface KnownSkill {
  folder: IndexedSkill
  signature: SkillSignature | undefined
  entry: SkillEntry
}

interface ScannedRoots {
  entries: SkillEntry[]
  problems: RepositoryProblem[]
}

/** Selects folders. */
export type FolderFilter = (dir: string) => boolean

/**
 * Scans all roots, and remembers each skill between scans: a skill whose files are unchanged keeps
 * its entry object, so that other data can be cached by it.
 */
export class RootScanner {
  #options: RootScannerOptions
  #indexes = new Map<string, RootIndex>()
  /** By folder; a folder below two roots is known by the last one. */
  #known = new Map<string, KnownSkill>()

  constructor(options: RootScannerOptions) {
    this.#options = options
  }

  /** The signature of a skill when it was read; undefined if it is not tracked. */
  signature(dir: string): SkillSignature | undefined {
    return this.#known.get(dir)?.signature
  }

  /**
   * Folders of pinned skills that changed just before they were signed: a later change could have
   * the same signature.
   */
  listRecent(): ReadonlySet<string> {
    const recent = new Set<string>()
    if (this.#options.tracking !== 'pinned') return recent
    for (const [dir, { signature }] of this.#known) if (!signature?.isSettled) recent.add(dir)
    return recent
  }

  /** Scans the folders that may have changed; without a filter all. */
  async scan(isStale?: FolderFilter): Promise<ScannedRoots> {
    const { roots, uploads, tracking } = this.#options
    const sign = tracking === 'live' ? undefined : signFolder
    const found: ScannedRoots = { entries: [], problems: [] }
    const known = new Map<string, KnownSkill>()
    for (const root of new Set(roots)) {
      const before = await this.#readIndex(root)
      const scan = await scanRoot(root, {
        before,
        isFlat: root === uploads,
        // A folder that was never scanned by this process may differ from the index.
        isStale: (dir) => isStale === undefined || !this.#indexes.has(root) || isStale(dir),
        sign,
      })
      this.#indexes.set(root, scan.index)
      for (const { dir, folder, signature } of scan.skills) {
        const skill = this.#recognize({ dir, root, folder, signature })
        known.set(dir, skill)
        found.entries.push(skill.entry)
      }
      found.problems.push(...scan.problems)
      await this.#writeIndex(root, scan, isStale === undefined)
    }
    this.#known = known
    return { ...found, problems: omitLinksToListed(found) }
  }

  #recognize(scanned: {
    dir: string
    root: string
    folder: IndexedSkill
    signature: SkillSignature | undefined
  }): KnownSkill {
    const { dir, root, folder, signature } = scanned
    const known = this.#known.get(dir)
    const isSame = known?.folder === folder && known.entry.root === root
    if (known && isSame && !signature) return known
    if (known?.signature?.isSettled && signature && isSame) {
      if (isSameSignature(known.signature, signature)) return known
    }
    const entry = { ...(folder.entry as NonNullable<typeof folder.entry>), dir, root }
    return { folder, signature, entry }
  }

  async #readIndex(root: string): Promise<RootIndex> {
    const known = this.#indexes.get(root)
    if (known) return known
    const { cacheDir } = this.#options
    return cacheDir ? await loadIndex(cacheDir, root) : new Map<string, never>()
  }

  /** A few changed folders are read again by the next process. */
  async #writeIndex(
    root: string,
    { index, isChanged }: { index: RootIndex; isChanged: boolean },
    isComplete: boolean,
  ): Promise<void> {
    const { cacheDir } = this.#options
    if (cacheDir && isChanged && isComplete) await saveIndex(cacheDir, root, index)
  }
}

/** A link to a listed skill, such as those that installers write for agents, is the same skill. */
function omitLinksToListed({ entries, problems }: ScannedRoots): RepositoryProblem[] {
  if (!problems.some(({ isLink }) => isLink)) return problems
  // Below a root, no link is followed.
  const realRoots = new Map(entries.map(({ root }) => [root, '']))
  for (const root of realRoots.keys()) realRoots.set(root, findRealPath(root))
  const listed = new Set(
    entries.map(({ root, dir }) => `${realRoots.get(root)}${dir.slice(root.length)}`),
  )
  return problems
    .filter(({ isLink, path }) => !isLink || !listed.has(findRealPath(path)))
    .map(({ kind, path, message, other }) => ({ kind, path, message, ...(other && { other }) }))
}

function findRealPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return path
  }
}
