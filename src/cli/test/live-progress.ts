import { toPrintable } from '../../util/printable.ts'
import type { CaseProgress } from '../../testing/running/run-tests.ts'
import type { Context } from '../context.ts'
import { startSpinner } from '../ui/spinner.ts'

/** Shows the number of cases that ended, and the names of those that run. */
export interface LiveProgress {
  onProgress(event: CaseProgress): void
  /** Hides the line while `write` writes to the terminal. */
  around(write: () => void): void
  stop(): void
}

/** Draws a bar on standard error; draws nothing if that is not a terminal. */
export function startLiveProgress(context: Context, total: number): LiveProgress {
  const spinner = startSpinner(context, 'Starting')
  const running = new Set<CaseProgress['planned']>()
  let done = 0
  return {
    onProgress({ type, planned }) {
      if (type === 'start') running.add(planned)
      else {
        running.delete(planned)
        done += 1
      }
      const names = [...running].map(({ testCase }) => toPrintable(testCase.name))
      spinner?.setProgress({ done, total, message: names.join(', ') })
    },
    around(write) {
      spinner?.hide()
      write()
      spinner?.show()
    },
    stop: () => spinner?.stop(),
  }
}
