import { compareSemver } from '../../util/semver.ts'

/** First version with the setting `sync_interval: always`. */
const SYNCING_VERSION = '2.10.0'
/** First version whose replicated streams keep acknowledged messages when servers are killed. */
const REPLICATING_VERSION = '2.10.23'

/** A guarantee that an engine cannot give. */
export interface EngineLimit {
  code: 'power-failure' | 'replicas'
  sentence: string
}

/** Lists what an engine of this version does not guarantee. */
export function listEngineLimits(version: string): readonly EngineLimit[] {
  const isOld = compareSemver(version, SYNCING_VERSION) < 0
  const limits: EngineLimit[] = [
    {
      code: 'power-failure',
      sentence: isOld
        ? `Acknowledged writes survive a killed engine, not a power failure: nats-server ${version} writes to the disk every 1 or 2 minutes; from 2.10 on it has "sync_interval: always"`
        : 'Acknowledged writes survive a killed engine; they survive a power failure only with "sync_interval: always" in the "jetstream" of its configuration',
    },
  ]
  if (compareSemver(version, REPLICATING_VERSION) < 0) {
    limits.push({
      code: 'replicas',
      sentence: `Streams have one replica, and are not available while their server is down: more replicas need nats-server ${REPLICATING_VERSION} or newer, which keeps acknowledged messages`,
    })
  }
  return limits
}
