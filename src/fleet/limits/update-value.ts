import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../engine/engine.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'

const MAX_PAUSE_MS = 100

/**
 * Replaces a value of the state with one that is computed from it. The change is computed again if another
 * front was first.
 */
export async function updateValue<T extends object>(
  engine: Engine,
  subject: string,
  change: (value: object | undefined) => T,
): Promise<T> {
  for (let pauseMs = 1; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    const stored = await engine.last('state', subject)
    const value = change(stored && decodeMessage(stored.body))
    const replacement = { body: encodeMessage(value), seq: stored?.seq ?? 0 }
    if ((await engine.replace('state', subject, replacement)) !== undefined) return value
    await sleep(pauseMs * Math.random())
  }
}

/** A number of a stored value, which any front may have written. */
export function readNumber(value: object | undefined, name: string, fallback: number): number {
  const found = (value as { [name: string]: unknown } | undefined)?.[name]
  return typeof found === 'number' && Number.isFinite(found) ? found : fallback
}
