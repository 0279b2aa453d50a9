import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { startSpinner } from '../ui/spinner.ts'

/** Shows on a terminal that the command waits for another machine. */
export async function whileFetching<T>(
  context: Context,
  source: string,
  work: () => Promise<T>,
): Promise<T> {
  const spinner = startSpinner(context, `Fetching ${toPrintable(source)}`)
  try {
    return await work()
  } finally {
    spinner?.stop()
  }
}
