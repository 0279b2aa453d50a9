import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { removeStage } from '../rootfs/remove-stage.ts'
import { copySkill } from '../rootfs/stage.ts'
import { FolderStamps } from '../../../util/stamp-folder.ts'

const MOST_KEPT = 256

interface Kept {
  path: string
  /** What the skill's folder was like when it was copied, and what the copy is like. */
  source: string
  copy: string
  users: number
  isOld: boolean
}

/** A copy for one run; others may use it at the same time, and none can change it. */
interface SharedSkill {
  path: string
  /** To be called once, when the run is over. */
  release(): void
}

/** Copies of skills that serve as long as the skill is what it was: checked before each use. */
export class SharedSkills {
  #folder: string
  #kept = new Map<string, Kept>()
  #stamps = new FolderStamps()

  constructor(folder: string) {
    this.#folder = folder
  }

  take(dir: string): SharedSkill {
    const known = this.#kept.get(dir)
    if (known && this.#isUnchanged(dir, known)) return this.#use(known)
    if (known) this.#drop(dir, known)
    return this.#copy(dir)
  }

  #isUnchanged(dir: string, { source, path, copy }: Kept): boolean {
    return source === this.#stamps.stamp(dir).text && copy === this.#stamps.stamp(path).text
  }

  #copy(dir: string): SharedSkill {
    const before = this.#stamps.stamp(dir)
    const path = join(this.#folder, `skill-${randomUUID()}`)
    try {
      copySkill(dir, path)
    } catch (error) {
      removeStage(path)
      throw error
    }
    const isSame = before.isSettled && before.text === this.#stamps.stamp(dir).text
    const kept = {
      path,
      source: before.text,
      copy: this.#stamps.stamp(path).text,
      users: 0,
      isOld: !isSame,
    }
    if (isSame) this.#keep(dir, kept)
    return this.#use(kept)
  }

  #keep(dir: string, kept: Kept): void {
    const [oldest] = this.#kept
    if (oldest && this.#kept.size >= MOST_KEPT) this.#drop(...oldest)
    this.#kept.set(dir, kept)
  }

  #use(kept: Kept): SharedSkill {
    kept.users += 1
    let isReleased = false
    return {
      path: kept.path,
      release: () => {
        if (isReleased) return
        isReleased = true
        kept.users -= 1
        if (kept.isOld && kept.users === 0) removeStage(kept.path)
      },
    }
  }

  /** Who uses it goes on with it. */
  #drop(dir: string, kept: Kept): void {
    this.#kept.delete(dir)
    kept.isOld = true
    if (kept.users === 0) removeStage(kept.path)
  }
}
