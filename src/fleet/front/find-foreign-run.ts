import { isRunId } from '../../core/runs/history/run-id.ts'
import type { ForeignRun } from '../../server/served-node.ts'
import type { AskAnswer, NodeRequest } from '../messages/call-messages.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'
import { readFence } from '../messages/fence.ts'
import { watchRun, type WatchServices } from './watch-run.ts'

const ASK_MS = 500

/** Finds a run that a worker performs or ended a moment ago, for whichever front. */
export async function findForeignRun(
  services: WatchServices,
  id: string,
): Promise<ForeignRun | undefined> {
  if (!isRunId(id)) return undefined
  const found = await readFence(services.engine, id)
  if (found?.fence.t !== 'begun') return undefined
  const { node: name, start, caller, principal = caller } = found.fence
  const worker = { name, start }
  if (!(await isPerformed(services, { id, worker, attempt: found.attempt }))) return undefined
  return {
    owner:
      caller === undefined || principal === undefined ? undefined : { name: caller, principal },
    follow: (listener) => watchRun(services, { id, worker }, listener),
  }
}

/** True if the worker has the run, or may have it: then it has no end. */
async function isPerformed(
  { engine, ends }: WatchServices,
  { id, worker, attempt }: { id: string; worker: { name: string }; attempt: number },
): Promise<boolean> {
  const body: NodeRequest = { op: 'ask', call: id, attempt }
  try {
    const answer = await engine.request(`w.${worker.name}.ctl`, encodeMessage(body), ASK_MS)
    if ((decodeMessage(answer) as AskAnswer | undefined)?.isKnown === true) return true
  } catch {
    // A worker that does not answer now may perform it.
  }
  return (await ends.read(id)) === undefined
}
