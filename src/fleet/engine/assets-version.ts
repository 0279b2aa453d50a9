import { SkillsError } from '../../errors.ts'
import { ASSETS_VERSION, nameStream } from './assets.ts'
import type { NatsEngine } from './open-engine.ts'
import { isStreamMissing } from './read-stream.ts'

const VERSION_KEY = 'k.fleet.assets'

/** Version of the streams of a tenant, as stored. */
interface AssetsState {
  /** 0 if `skills fleet init` has not ended. */
  version: number
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
  return found ? await readStoredState(engine) : { version: 0, seq: 0 }
}

async function readStoredState(engine: NatsEngine): Promise<AssetsState> {
  const current = await engine.last('state', VERSION_KEY)
  if (!current) return { version: 0, seq: 0 }
  const { assets } = JSON.parse(Buffer.from(current.body).toString()) as { assets?: unknown }
  return { version: typeof assets === 'number' ? assets : 0, seq: current.seq }
}

/** Stores the version of this program, unless another program stored one meanwhile. */
export async function storeAssetsVersion(
  engine: NatsEngine,
  { seq }: Pick<AssetsState, 'seq'>,
): Promise<void> {
  await engine.replace('state', VERSION_KEY, {
    body: JSON.stringify({ assets: ASSETS_VERSION }),
    seq,
  })
}

/** Checks that the streams exist, in the version of this program. */
export async function checkAssets(engine: NatsEngine): Promise<void> {
  const state = await readStoredState(engine)
  requireSameVersion(state)
  if (state.version === 0) throw missingAssetsError()
}

/** Throws if the streams have another version. Those of version 0 have none. */
export function requireSameVersion({ version }: Pick<AssetsState, 'version'>): void {
  if (version === 0 || version === ASSETS_VERSION) return
  const hint =
    version > ASSETS_VERSION
      ? 'Update this program'
      : 'Choose another tenant with fleet.tenant, and type "skills fleet init --fleet <url>"'
  throw new SkillsError(
    'fleet/unavailable',
    `The streams of this fleet have version ${version}; this program needs ${ASSETS_VERSION}`,
    { hint },
  )
}

function missingAssetsError(): SkillsError {
  return new SkillsError('fleet/unavailable', 'The streams of this fleet are not initialized', {
    hint: 'Type "skills fleet init --fleet <url>"',
  })
}
