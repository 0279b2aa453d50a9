import { isRunId, type RunIds } from '../../core/runs/history/run-id.ts'
import { invalidParamError, SkillsError } from '../../errors.ts'
import { getPrincipal, type Caller } from '../auth/caller.ts'
import type { ForeignRun } from '../served-node.ts'
import { createLiveRun, type LiveRun, type LiveRunWriter } from './live-run.ts'

/** Runs by id. `start` registers runs of this server; `find` also finds those of other servers. */
export interface LiveRuns {
  readonly size: number
  /**
   * Registers a run by the caller's id or a generated one; `cancel` ends its call. Throws if the id is
   * taken.
   */
  start(caller: Caller, name: string | undefined, cancel: () => void): LiveRunWriter
  /** Frees the id of a call that started no run. */
  remove(id: string): void
  /** Finds a run of this caller, or of any caller for an operator. Throws `run/not-found`. */
  find(caller: Caller, id: string): Promise<LiveRun>
  /** Ends the call that performs a run of this caller; false if there is none. */
  cancel(caller: Caller, id: string): Promise<boolean>
}

/** Time that an ended run can still be followed. */
const ENDED_RETENTION_MS = 60_000
const MAX_ENDED = 50

/** `findElsewhere` finds the runs of other servers. */
export function createLiveRuns(
  ids: RunIds,
  findElsewhere: (id: string) => Promise<ForeignRun | undefined> = async () => undefined,
): LiveRuns {
  const runs = new Map<string, { run: LiveRunWriter; owner: Caller; cancel: () => void }>()
  const ended = new Map<string, NodeJS.Timeout>()
  const forget = (id: string) => {
    runs.delete(id)
    clearTimeout(ended.get(id))
    ended.delete(id)
  }
  const onEnd = (id: string) => {
    ended.set(id, setTimeout(forget, ENDED_RETENTION_MS, id).unref())
    const [oldest] = ended.keys()
    if (ended.size > MAX_ENDED && oldest !== undefined) forget(oldest)
  }
  return {
    get size() {
      return runs.size
    },
    remove: forget,
    start(caller, name, cancel) {
      const id = name ?? ids.reserve()
      if (!isRunId(id))
        throw invalidRunNameError('expected "run_" and 20 to 64 characters of 0-9 and a-f')
      if (runs.has(id)) throw invalidRunNameError(`'${id}' is taken`)
      const run = createLiveRun(id, onEnd)
      runs.set(id, { run, owner: caller, cancel })
      return run
    },
    async find(caller, id) {
      const found = runs.get(id)
      if (found && mayFollow(found.owner, caller)) return found.run
      const foreign = found ? undefined : await findElsewhere(id)
      if (foreign && mayFollow(foreign.owner, caller)) return createForeignLiveRun(id, foreign)
      throw new SkillsError('run/not-found', `There is no active run '${id.slice(0, 80)}'`)
    },
    async cancel(caller, id) {
      const found = runs.get(id)
      if (!found || found.run.isOver || !isSame(found.owner, caller)) return false
      found.cancel()
      return true
    },
  }
}

function mayFollow(owner: RunOwner | undefined, caller: Caller): boolean {
  return caller.scopes.has('operate') || (owner !== undefined && isSame(owner, caller))
}

type RunOwner = Pick<Caller, 'name' | 'principal'>

function isSame(owner: RunOwner, caller: Caller): boolean {
  return owner.name === caller.name && getPrincipal(owner) === getPrincipal(caller)
}

function invalidRunNameError(reason: string): SkillsError {
  return invalidParamError('_meta.run_id', reason)
}

/**
 * A run of another front, as its events arrive. Its events have the numbers of those of that front,
 * unless some are not available any more: then the numbers are larger, so that no event is skipped.
 */
function createForeignLiveRun(id: string, foreign: ForeignRun): LiveRun {
  let isOver = false
  return {
    id,
    get isOver() {
      return isOver
    },
    subscribe(listener, after = 0) {
      const run = createLiveRun(id, () => void (isOver = true))
      run.subscribe((event) => {
        if (event.number > after || event.name === 'end') listener(event)
      })
      run.publish({ type: 'state', run_id: id, state: 'queued' })
      return foreign.follow({
        onEvent(event, lost) {
          run.skip(lost)
          run.publish(event)
        },
        onEnd: (status) => run.end(status),
      })
    },
  }
}
