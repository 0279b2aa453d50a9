import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { openFleetRunStore } from '../../../src/fleet/records/fleet-run-store.ts'
import type { FleetRunStoreOptions } from '../../../src/fleet/records/run-context.ts'
import type { RunStore } from '../../../src/core/runs/history/run-store.ts'

export const OPEN_OPTIONS = { isIdFromCaller: true, maxLogBytes: 4e6 }

const LIMITS = { quotaBytes: 1e9, ttlMs: 30 * 86_400_000 }

/** Opens the run store of a node. */
export function openNodeStore(
  engine: Engine,
  node: string,
  options: Partial<FleetRunStoreOptions> = {},
): RunStore {
  return openFleetRunStore(engine, {
    holder: createHolder(node),
    objects: openObjects(engine, 'data'),
    limits: LIMITS,
    ...options,
  })
}

/** The only start of a node. */
export function createHolder(node: string): { node: string; start: string } {
  return { node, start: '1' }
}
