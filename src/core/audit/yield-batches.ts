import { waitForTurn } from '../../util/slices/next-turn.ts'
import type { AuditSource } from './audit-source.ts'

/** Lines that are verified in one turn of the event loop. */
const LINES_PER_TURN = 20

/** Divides the batches of a log, so that other callers are served while it is verified. */
export function yieldBetweenBatches(source: AuditSource): AuditSource {
  return {
    head: async () => await source.head(),
    segments: async () =>
      (await source.segments()).map((segment) => ({
        name: segment.name,
        lines: () => divideBatches(segment.lines()),
        newestFirst: () => divideBatches(segment.newestFirst()),
      })),
  }
}

async function* divideBatches<Line>(
  batches: AsyncIterable<readonly Line[]>,
): AsyncGenerator<readonly Line[]> {
  for await (const batch of batches) {
    for (let at = 0; at < batch.length; at += LINES_PER_TURN) {
      yield batch.slice(at, at + LINES_PER_TURN)
      await waitForTurn()
    }
  }
}
