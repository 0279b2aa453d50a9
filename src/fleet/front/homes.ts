import type { Engine } from '../engine/engine.ts'
import type { NodeIdentity } from '../node/identity.ts'
import {
  getWorkspaceOfHome,
  readHome,
  replaceHome,
  type FormerHome,
  type Home,
  type HomeRecord,
  type SnapshotRef,
} from '../workspaces/home-record.ts'
import { kernelsLostError, processLostError, sessionLostError } from '../workspaces/notices.ts'
import type { Workers } from './workers.ts'

export interface HomeServices {
  engine: Engine
  workers: Workers
}

/** A session that needs a home, and what its next home gets. */
export interface Vacancy {
  seq: number
  generation: number
  snapshot: SnapshotRef | undefined
  from: FormerHome | undefined
}

/**
 * Finds the home of a key. A home whose worker is gone is given up: the next home restores its snapshot.
 * Its caller gets `session/lost` if there is none, or if the call needs a process of that worker.
 */
export async function findHome(
  services: HomeServices,
  { key, needsProcess }: { key: string; needsProcess: boolean },
): Promise<{ home: Home } | { vacancy: Vacancy }> {
  const { engine } = services
  for (;;) {
    const stored = await readHome(engine, key)
    if (!stored?.record) return { vacancy: createVacancy(stored?.seq) }
    const { record, seq } = stored
    if (record.node !== null && isHomeThere(services, record)) return { home: record }
    const former = findFormerHome(record)
    const { generation, snapshot } = record
    if (former && snapshot === undefined) {
      const lost = { node: null, generation } as const
      const done = await replaceHome(engine, key, { record: lost, seq })
      // Another front may have been first, and reports the loss.
      if (done === undefined) continue
      throw describeLoss(key, former)
    }
    if (former && needsProcess) throw processLostError(former.node)
    return { vacancy: { seq, generation, snapshot, from: former } }
  }
}

/** A session without a valid record. */
function createVacancy(seq = 0): Vacancy {
  return { seq, generation: 0, snapshot: undefined, from: undefined }
}

function describeLoss(key: string, { node }: FormerHome): Error {
  const isKernel = getWorkspaceOfHome(key) === undefined
  return isKernel ? kernelsLostError(node) : sessionLostError(node)
}

/** Makes a worker the home of a key, unless another front was first. */
export async function fillVacancy(
  engine: Engine,
  key: string,
  { worker, vacancy }: { worker: NodeIdentity; vacancy: Vacancy },
): Promise<void> {
  const { seq, generation, snapshot, from } = vacancy
  const record: Home = {
    node: worker.name,
    start: worker.start,
    generation: generation + 1,
    snapshot,
    from,
  }
  await replaceHome(engine, key, { record, seq })
}

/** True if the worker may still have the session. */
function isHomeThere({ engine, workers }: HomeServices, { node, start }: Home): boolean {
  if (!engine.health.isSteady) return true
  const view = workers.find(node)
  if (!view) return !workers.hasListened
  return workers.isLive(view) && view.state.start === start
}

/** The last worker of a session, whose loss has not been reported. */
function findFormerHome(record: HomeRecord): FormerHome | undefined {
  return record.node === null ? record.from : { node: record.node, why: 'gone' }
}
