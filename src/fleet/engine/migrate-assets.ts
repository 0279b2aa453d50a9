import { SkillsError } from '../../errors.ts'
import { ASSETS_VERSION, listAssets, nameStream, type Lifetimes } from './assets.ts'
import {
  missingAssetsError,
  newerAssetsError,
  readAssetsState,
  storeAssetsVersion,
  type AssetsState,
} from './assets-version.ts'
import type { NatsEngine } from './open-engine.ts'
import {
  createStream,
  initConsumer,
  listDifferences,
  listStructure,
  readSettings,
} from './stream-settings.ts'

/** A change of a stream. Its messages stay as they are. */
export interface StreamChange {
  /** Name in the engine. */
  stream: string
  change: 'create' | 'update'
  /** Settings that an update changes. */
  settings: readonly string[]
}

/** A migration to the version of this program, or the rest of one. */
export interface Migration {
  from: number
  to: number
  /** True if the streams have the version already. */
  isDone: boolean
  changes: readonly StreamChange[]
}

export interface MigrationOptions {
  /** For streams that are created. Existing streams keep theirs. */
  lifetimes: Lifetimes
  maxJobs: number
}

interface PlannedMigration extends Migration {
  state: AssetsState
}

/** Lists what a migration would change. Throws if there are no streams, or newer ones. */
export async function planMigration(
  engine: NatsEngine,
  options: MigrationOptions,
): Promise<PlannedMigration> {
  const state = await readAssetsState(engine)
  const { version, migratingFrom } = state
  if (version > ASSETS_VERSION) throw newerAssetsError(version)
  if (version === 0) throw missingAssetsError()
  const from = migratingFrom ?? version
  const isDone = version === ASSETS_VERSION && migratingFrom === undefined
  const changes = isDone ? [] : await listStreamChanges(engine, options)
  return { from, to: ASSETS_VERSION, isDone, changes, state }
}

/**
 * Brings the streams to the version of this program. The version is stored first, with a note, so that no
 * older node starts meanwhile and a killed migration is continued; `requireNoOlderNode` is then called.
 * Removes nothing.
 */
export async function migrateAssets(
  engine: NatsEngine,
  { state, from }: Pick<PlannedMigration, 'state' | 'from'>,
  options: MigrationOptions & { requireNoOlderNode(): Promise<void> },
): Promise<void> {
  const seq =
    state.migratingFrom === undefined ? await storeAssetsVersion(engine, state, from) : state.seq
  if (seq === undefined) throw raceError()
  await options.requireNoOlderNode()
  const replicas = await readReplicas(engine)
  for (const asset of listAssets(options.lifetimes, options.maxJobs)) {
    const found = await readSettings(engine, asset)
    const wanted = listStructure(engine.tenant, asset)
    if (!found) await createStream(engine, asset, replicas)
    else if (listDifferences(found, wanted).length > 0) {
      const name = nameStream(engine.tenant, asset.name)
      await engine.manage(async ({ streams }) => await streams.update(name, wanted))
    }
    if (asset.keeps === 'queue') await initConsumer(engine, asset)
  }
  await copyAccess(engine)
  if ((await storeAssetsVersion(engine, { seq })) === undefined) throw raceError()
}

/** Before version 2, tokens and the policy were values of the state, which fronts can remove. */
async function copyAccess(engine: NatsEngine): Promise<void> {
  for (const pattern of ['k.tokens.*', 'k.policy.*']) {
    for await (const { subject, body } of engine.list('state', pattern)) {
      // A migration that was killed may have stored it, and it may be newer now.
      await engine.create('access', subject.replace('k.', 'ac.'), body)
    }
  }
}

async function listStreamChanges(
  engine: NatsEngine,
  { lifetimes, maxJobs }: MigrationOptions,
): Promise<StreamChange[]> {
  const changes: StreamChange[] = []
  for (const asset of listAssets(lifetimes, maxJobs)) {
    const stream = nameStream(engine.tenant, asset.name)
    const found = await readSettings(engine, asset)
    const settings = found ? listDifferences(found, listStructure(engine.tenant, asset)) : []
    if (!found) changes.push({ stream, change: 'create', settings })
    else if (settings.length > 0) changes.push({ stream, change: 'update', settings })
  }
  return changes
}

/** New streams have as many replicas as the one with the version. */
async function readReplicas(engine: NatsEngine): Promise<number> {
  return (await readSettings(engine, { name: 'state' }))?.num_replicas ?? 1
}

function raceError(): SkillsError {
  return new SkillsError(
    'fleet/unavailable',
    'Another program changed the version of the streams',
    {
      hint: 'Type "skills fleet migrate" again to see whether it has ended',
    },
  )
}
