import { memoize } from '../../util/memoize.ts'
import type { LoadedPart } from './session-state.ts'
import type { SkillText } from './skill-texts.ts'

/** Bytes of texts that are kept for the requests to come; those used longest ago go. */
const MAX_BYTES = 32 * 1024 ** 2

/**
 * Texts as they were when they were loaded, by their digests: what a session shows is not read again
 * for each request, and stays as it was while somebody edits the skill.
 */
export class KnownTexts {
  #texts = new Map<string, string>()
  #bytes = 0
  #most: number

  constructor(maxBytes: number = MAX_BYTES) {
    this.#most = maxBytes
  }

  keep(skill: string, texts: readonly SkillText[]): void {
    for (const { doc, digest, text } of texts) {
      const key = keyOf({ skill, doc, digest })
      this.#forget(key)
      this.#texts.set(key, text)
      this.#bytes += text.length
    }
    for (const key of this.#texts.keys()) {
      if (this.#bytes <= this.#most) return
      this.#forget(key)
    }
  }

  /** Undefined where it was loaded by another process, or too long ago. */
  find({ skill, doc, digest }: LoadedPart): SkillText | undefined {
    const key = keyOf({ skill, doc, digest })
    const text = this.#texts.get(key)
    if (text === undefined) return undefined
    // What was used last comes last.
    this.#texts.delete(key)
    this.#texts.set(key, text)
    return { doc, digest, text }
  }

  #forget(key: string): void {
    const text = this.#texts.get(key)
    if (text === undefined) return
    this.#texts.delete(key)
    this.#bytes -= text.length
  }
}

/** The texts that were loaded from a repository. */
export const knownTexts: (repository: object) => KnownTexts = memoize(() => new KnownTexts())

function keyOf({ skill, doc, digest }: Pick<LoadedPart, 'skill' | 'doc' | 'digest'>): string {
  return JSON.stringify([skill, doc, digest])
}
