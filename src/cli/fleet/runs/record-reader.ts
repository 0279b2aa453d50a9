import { resolveStoreLimits } from '../../../core/storage/store-limits.ts'
import type { RunStore } from '../../../core/runs/history/run-store.ts'
import { openObjects } from '../../../fleet/objects/open-objects.ts'
import { openFleetRunStore } from '../../../fleet/records/fleet-run-store.ts'
import type { OpenFleet } from '../open-fleet.ts'

/** Opens the run records of a fleet for a command, which performs no runs. */
export function openRecordReader({
  engine,
  config,
}: Pick<OpenFleet, 'engine' | 'config'>): RunStore {
  return openFleetRunStore(engine, {
    holder: { node: 'command', start: '' },
    objects: openObjects(engine, 'data'),
    limits: resolveStoreLimits(config).runs,
  })
}
