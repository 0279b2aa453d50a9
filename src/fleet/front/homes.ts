import { SkillsError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'
import type { NodeIdentity } from '../node/identity.ts'
import type { Workers } from './workers.ts'

/** The worker that has the files and processes of a session, or the kernels of a caller. */
export interface Home {
  node: string
  start: string
  /** Counts the homes of a session. */
  generation: number
}

/** `k.homes.<key>`: a home, or the note that the last one is gone. */
type StoredHome = Home | { node: null; generation: number }

/**
 * Finds the home of a key. A home is given up when its worker is gone: its caller gets `session/lost`
 * once, and the next call gets a new home.
 */
export async function findHome(
  { engine, workers }: { engine: Engine; workers: Workers },
  key: string,
): Promise<{ home: Home | undefined; seq: number; generation: number }> {
  const stored = await engine.last('state', nameHome(key))
  const home = stored && (decodeMessage(stored.body) as StoredHome | undefined)
  if (!stored || !home) return { home: undefined, seq: stored?.seq ?? 0, generation: 0 }
  const { generation } = home
  if (home.node === null) return { home: undefined, seq: stored.seq, generation }
  const view = workers.find(home.node)
  const isThere = view
    ? workers.isLive(view) && view.state.start === home.start
    : !workers.hasListened
  if (isThere || !engine.health.isSteady) return { home, seq: stored.seq, generation }
  const lost = encodeMessage({ node: null, generation })
  await engine.replace('state', nameHome(key), { body: lost, seq: stored.seq })
  throw sessionLostError(home.node)
}

/** Makes a worker the home of a key. Undefined if another front was first. */
export async function makeHome(
  engine: Engine,
  key: string,
  { worker, seq, generation }: { worker: NodeIdentity; seq: number; generation: number },
): Promise<Home | undefined> {
  const home: Home = { node: worker.name, start: worker.start, generation: generation + 1 }
  const done = await engine.replace('state', nameHome(key), { body: encodeMessage(home), seq })
  return done === undefined ? undefined : home
}

function nameHome(key: string): string {
  return `k.homes.${key}`
}

function sessionLostError(node: string): SkillsError {
  return new SkillsError(
    'session/lost',
    `The worker "${node}" is gone, and with it the files and processes of this session`,
    { hint: 'Repeat the call: it begins with an empty workspace on another worker' },
  )
}
