import { createHash } from 'node:crypto'
import { FolderStamps } from '../../../util/stamp-folder.ts'
import {
  walkFolder,
  type FolderLists,
  type FolderStamp,
  type StampedEntry,
} from '../../../util/walk-folder.ts'

/** State of all files of a skill, without their contents. */
export interface SkillSignature {
  /** Differs after any change. */
  text: string
  /** True if any later change will be visible. */
  isSettled: boolean
}

/** The signature of a folder that cannot be read; it equals no other. */
const UNREADABLE = ''

/** Signs the files of a skill: their paths, inodes, modes, sizes and change times. */
export function signSkill(dir: string): SkillSignature {
  return signFolder(dir).signature
}

/** A signature with what was seen for it. */
export interface SignedFolder {
  signature: SkillSignature
  /** By path; undefined if the folder could not be read completely. */
  entries?: ReadonlyMap<string, StampedEntry> | undefined
  lists?: FolderLists | undefined
}

/** Like `signSkill`; folders that are unchanged since an earlier signature are not listed again. */
export function signFolder(dir: string, before?: FolderLists): SignedFolder {
  try {
    const { stamp, entries, lists } = walkFolder(dir, before)
    return { signature: hashStamp(stamp), entries, lists }
  } catch {
    return { signature: { text: UNREADABLE, isSettled: true } }
  }
}

/** Signs skills that are used often: unchanged folders are not listed again. */
export class SkillSignatures {
  #stamps = new FolderStamps()
  #signatures = new WeakMap<FolderStamp, SkillSignature>()

  sign(dir: string): SkillSignature {
    try {
      const stamp = this.#stamps.stamp(dir)
      const signature = this.#signatures.get(stamp) ?? hashStamp(stamp)
      this.#signatures.set(stamp, signature)
      return signature
    } catch {
      return { text: UNREADABLE, isSettled: true }
    }
  }
}

/** True if two signatures are of the same files. */
export function isSameSignature(a: SkillSignature, b: SkillSignature): boolean {
  return a === b || (a.text === b.text && a.text !== UNREADABLE)
}

function hashStamp({ text, isSettled }: FolderStamp): SkillSignature {
  return { text: createHash('sha256').update(text).digest('base64url'), isSettled }
}
