import { SkillsError } from '../../errors.ts'
import { ASSETS_VERSION, nameStream } from './assets.ts'
import type { NatsEngine } from './open-engine.ts'
import { isStreamMissing } from './read-stream.ts'

const VERSION_KEY = 'k.fleet.assets'

/** Version of the streams of a tenant, as stored. */
export interface AssetsState {
  /** 0 if `skills fleet init` has not ended. */
  version: number
  /** Version from which a migration began that has not ended. */
  migratingFrom: number | undefined
  /** Position of the message; 0 if there is none. */
  seq: number
}

/** Reads the version. Streams that do not exist have version 0. */
export async function readAssetsState(engine: NatsEngine): Promise<AssetsState> {
  const { client, tenant } = engine
  const found = await engine
    .manage(async ({ streams }) => await streams.info(nameStream(tenant, 'state')))
    .catch((error: unknown) => {
      if (isStreamMissing(client, error)) return undefined
      throw error
    })
  return found ? await readStoredState(engine) : { version: 0, migratingFrom: undefined, seq: 0 }
}

async function readStoredState(engine: NatsEngine): Promise<AssetsState> {
  const current = await engine.last('state', VERSION_KEY)
  if (!current) return { version: 0, migratingFrom: undefined, seq: 0 }
  const body = JSON.parse(Buffer.from(current.body).toString()) as {
    assets?: unknown
    migrating_from?: unknown
  }
  const { assets, migrating_from: from } = body
  return {
    version: typeof assets === 'number' ? assets : 0,
    migratingFrom: typeof from === 'number' ? from : undefined,
    seq: current.seq,
  }
}

/**
 * Stores the version of this program, and returns the position of the message; undefined if another program
 * stored one meanwhile. Programs that only know older versions do not start from then on, and this one does
 * when no migration is noted.
 */
export async function storeAssetsVersion(
  engine: NatsEngine,
  { seq }: Pick<AssetsState, 'seq'>,
  migratingFrom?: number,
): Promise<number | undefined> {
  const body = JSON.stringify({
    assets: ASSETS_VERSION,
    ...(migratingFrom !== undefined && { migrating_from: migratingFrom }),
  })
  return await engine.replace('state', VERSION_KEY, { body, seq })
}

/** Checks that the streams exist, in the version of this program. */
export async function checkAssets(engine: NatsEngine): Promise<void> {
  const state = await readStoredState(engine)
  requireSameVersion(state)
  if (state.version === 0) throw missingAssetsError()
}

/** Throws if the streams have another version. Those of version 0 have none. */
export function requireSameVersion({ version, migratingFrom }: AssetsState): void {
  if (version > ASSETS_VERSION) throw newerAssetsError(version)
  if (version > 0 && version < ASSETS_VERSION) throw olderAssetsError(version)
  if (migratingFrom !== undefined) throw unfinishedMigrationError(migratingFrom)
}

export function missingAssetsError(): SkillsError {
  return new SkillsError('fleet/unavailable', 'The streams of this fleet are not initialized', {
    hint: 'Type "skills fleet init --fleet <url>"',
  })
}

function olderAssetsError(version: number): SkillsError {
  return new SkillsError(
    'fleet/unavailable',
    `The streams of this fleet have version ${version}; this program needs ${ASSETS_VERSION}`,
    { hint: 'Type "skills fleet migrate --fleet <url>"' },
  )
}

function unfinishedMigrationError(from: number): SkillsError {
  return new SkillsError(
    'fleet/unavailable',
    `The migration of the streams of this fleet from version ${from} to ${ASSETS_VERSION} has not ended`,
    { hint: 'Type "skills fleet migrate --fleet <url>" to continue it' },
  )
}

export function newerAssetsError(version: number): SkillsError {
  return new SkillsError(
    'fleet/unavailable',
    `The streams of this fleet have version ${version}; this program knows ${ASSETS_VERSION}`,
    { hint: 'Update this program' },
  )
}
