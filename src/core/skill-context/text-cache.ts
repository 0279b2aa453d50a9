import { memoize } from '../../util/memoize.ts'
import type { LoadedPart } from './session-state.ts'
import type { SkillText } from './skill-texts.ts'

/** Bytes of cached texts; the least recently used ones are evicted. */
const MAX_BYTES = 32 * 1024 ** 2

/**
 * Texts by their digests, as they were loaded: a session does not read them again for each request,
 * and does not see edits of the skill.
 */
export class TextCache {
  #texts = new Map<string, string>()
  #bytes = 0
  #maxBytes: number

  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  add(skill: string, texts: readonly SkillText[]): void {
    for (const { doc, digest, text } of texts) {
      const key = getCacheKey({ skill, doc, digest })
      this.#evict(key)
      this.#texts.set(key, text)
      this.#bytes += text.length
    }
    for (const key of this.#texts.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.#evict(key)
    }
  }

  /** Undefined if the text was loaded by another process, or was evicted. */
  get({ skill, doc, digest }: LoadedPart): SkillText | undefined {
    const key = getCacheKey({ skill, doc, digest })
    const text = this.#texts.get(key)
    if (text === undefined) return undefined
    // Moves the entry to the end: entries are in order of use.
    this.#texts.delete(key)
    this.#texts.set(key, text)
    return { doc, digest, text }
  }

  #evict(key: string): void {
    const text = this.#texts.get(key)
    if (text === undefined) return
    this.#texts.delete(key)
    this.#bytes -= text.length
  }
}

/** The text cache of a repository. */
export const getTextCache: (repository: object) => TextCache = memoize(() => new TextCache())

function getCacheKey({ skill, doc, digest }: Pick<LoadedPart, 'skill' | 'doc' | 'digest'>): string {
  return JSON.stringify([skill, doc, digest])
}
