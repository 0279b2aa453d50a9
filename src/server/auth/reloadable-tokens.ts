import type { Caller } from './caller.ts'
import type { CallerLimits } from '../quotas/caller-limits.ts'
import type { TokenBook } from './tokens.ts'

/** The tokens of a running server, which can be replaced. */
export class ReloadableTokens implements TokenBook {
  #current: TokenBook

  constructor(tokens: TokenBook) {
    this.#current = tokens
  }

  find(token: string): Caller | undefined {
    return this.#current.find(token)
  }

  keys(): ReadonlyMap<string, string> {
    return listKeys(this.#current)
  }

  findLimits(name: string): CallerLimits | undefined {
    return this.#current.findLimits?.(name)
  }

  /**
   * Replaces all tokens at once. Returns the names of callers with a new token, and of those whose
   * earlier token is no longer accepted.
   */
  replace(tokens: TokenBook): { added: string[]; removed: string[] } {
    const [before, after] = [listKeys(this.#current), listKeys(tokens)]
    this.#current = tokens
    const differs = (name: string) => before.get(name) !== after.get(name)
    return {
      added: [...after.keys()].filter(differs),
      removed: [...before.keys()].filter(differs),
    }
  }
}

function listKeys(tokens: TokenBook): ReadonlyMap<string, string> {
  return tokens.keys?.() ?? new Map()
}
