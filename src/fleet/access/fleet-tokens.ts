import { createTokenBook, type TokenBook } from '../../server/auth/tokens.ts'
import type { Engine } from '../engine/engine.ts'
import { AccessTable } from './access-table.ts'
import { readTokenEntry, TOKENS_PATTERN } from './token-entry.ts'

/** The tokens of a fleet, as a front follows them. */
export interface FleetTokens {
  /**
   * Returns the tokens now. Undefined if the fleet never had any: a fleet whose tokens were all removed
   * accepts none.
   */
  load(): TokenBook | undefined
  /** Calls the function now, and after each change. */
  follow(onChange: () => void): () => void
  close(): void
}

export async function openFleetTokens(engine: Engine): Promise<FleetTokens> {
  const table = await AccessTable.open(engine, TOKENS_PATTERN)
  return {
    load() {
      if (table.messages.length === 0) return undefined
      const entries = table.messages.map(readTokenEntry).filter((entry) => entry !== undefined)
      return createTokenBook(entries)
    },
    follow(onChange) {
      const stop = table.onChange(onChange)
      onChange()
      return stop
    },
    close: () => table.close(),
  }
}
