import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { SourceSkill } from '../backend.ts'
import { removeStagingFolder } from '../rootfs/remove-staging-folder.ts'
import { copySkill } from '../rootfs/stage-files.ts'
import { FolderStamps } from '../../../util/stamp-folder.ts'

const MAX_COPIES = 256

interface SkillCopy {
  path: string
  /** Stamps of the skill's folder and of the copy, at copy time. */
  source: string
  copy: string
  users: number
  isOld: boolean
}

/** A copy for one run; read-only, and possibly shared with other runs. */
interface SharedSkill {
  path: string
  /** Call once, when the run is over. */
  release(): void
}

/**
 * Shares copies of skills between runs, as long as the skill is unchanged; checked before each use.
 */
export class SharedSkills {
  #folder: string
  #copies = new Map<string, SkillCopy>()
  #stamps = new FolderStamps()

  constructor(folder: string) {
    this.#folder = folder
  }

  acquire({ dir, addedFiles }: Pick<SourceSkill, 'dir' | 'addedFiles'>): SharedSkill {
    const cached = this.#copies.get(dir)
    if (cached && this.#isUnchanged(dir, cached)) return this.#share(cached)
    if (cached) this.#evict(dir, cached)
    return this.#copy(dir, addedFiles)
  }

  #isUnchanged(dir: string, { source, path, copy }: SkillCopy): boolean {
    return source === this.#stamps.stamp(dir).text && copy === this.#stamps.stamp(path).text
  }

  /** Added files follow from those of the folder. */
  #copy(dir: string, addedFiles: SourceSkill['addedFiles']): SharedSkill {
    const before = this.#stamps.stamp(dir)
    const path = join(this.#folder, `skill-${randomUUID()}`)
    try {
      copySkill(dir, path, addedFiles)
    } catch (error) {
      removeStagingFolder(path)
      throw error
    }
    const isSame = before.isSettled && before.text === this.#stamps.stamp(dir).text
    const entry = {
      path,
      source: before.text,
      copy: this.#stamps.stamp(path).text,
      users: 0,
      isOld: !isSame,
    }
    if (isSame) this.#store(dir, entry)
    return this.#share(entry)
  }

  #store(dir: string, entry: SkillCopy): void {
    const [oldest] = this.#copies
    if (oldest && this.#copies.size >= MAX_COPIES) this.#evict(...oldest)
    this.#copies.set(dir, entry)
  }

  #share(entry: SkillCopy): SharedSkill {
    entry.users += 1
    let isReleased = false
    return {
      path: entry.path,
      release: () => {
        if (isReleased) return
        isReleased = true
        entry.users -= 1
        if (entry.isOld && entry.users === 0) removeStagingFolder(entry.path)
      },
    }
  }

  /** Runs that use the copy keep it until they end. */
  #evict(dir: string, entry: SkillCopy): void {
    this.#copies.delete(dir)
    entry.isOld = true
    if (entry.users === 0) removeStagingFolder(entry.path)
  }
}
