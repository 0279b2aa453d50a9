import { CHAINS_PATTERN, EPOCHS_SUBJECT } from '../audit/chain-name.ts'
import { decodeEpoch } from '../audit/epoch-record.ts'
import { EpochWriter } from '../audit/epochs.ts'
import type { Engine } from '../engine/engine.ts'

/** Returns a function that writes epochs as long as there are records that none covers. */
export function createEpochJob(): (engine: Engine) => Promise<number> {
  let engine: Engine | undefined
  let writer: EpochWriter | undefined
  return async (given) => {
    // After a failure the engine is another one, and the writer reads the epochs again.
    if (!writer || engine !== given) writer = new EpochWriter(given)
    engine = given
    let count = 0
    for (let hasMore = await hasNewRecords(given); hasMore; count++) {
      hasMore = (await writer.write())?.hasMore === true
    }
    return count
  }
}

/** True if a chain has a record that the last epoch does not cover. */
async function hasNewRecords(engine: Engine): Promise<boolean> {
  const last = await engine.last('audit', EPOCHS_SUBJECT)
  const until = (last && decodeEpoch(last.body)?.record.until) ?? 0
  for await (const { subject } of engine.list('audit', CHAINS_PATTERN, { afterSeq: until })) {
    if (subject !== EPOCHS_SUBJECT) return true
  }
  return false
}
