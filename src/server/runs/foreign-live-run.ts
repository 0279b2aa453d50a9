import type { ForeignRun } from '../served-node.ts'
import { createLiveRun, type LiveRun } from './live-run.ts'

/**
 * A run of another front, as its events arrive. Its events have the numbers of those of that front,
 * unless some are not available any more: then the numbers are larger, so that no event is skipped.
 */
export function createForeignLiveRun(id: string, foreign: ForeignRun): LiveRun {
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
