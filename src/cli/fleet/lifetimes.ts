import type { Config } from '../../core/config/config.ts'
import type { Lifetimes } from '../../fleet/engine/assets.ts'

/** Lifetimes of the streams, from the settings of the stores. */
export function readLifetimes({ store }: Config): Lifetimes {
  const { runs, ttlMs } = store
  return { runsMs: runs.ttlMs, blobsMs: ttlMs, outputsMs: ttlMs }
}
