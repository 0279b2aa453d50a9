import type { RunEvent, RunState } from '../../core/runs/run-call.ts'
import { printable, printableLines } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { startSpinner } from './spinner.ts'

/** Shows a run while it is under way. */
export interface RunView {
  take(event: RunEvent): void
  /** Ends what is not ended: the spinner, a line without its end. */
  close(): void
}

const SAID: Readonly<Partial<Record<RunState, string>>> = {
  starting: 'starting',
  running: 'running',
  collecting: 'collecting',
}

/** Logs to standard error as they come; on a terminal a spinner below them. */
export function openRunView(context: Context, label: string): RunView {
  const { stderr } = context
  const spinner = startSpinner(context, printable(label))
  spinner?.say('starting')
  let atLineStart = true
  const write = (text: string) => {
    if (text === '') return
    spinner?.hide()
    stderr.write(text)
    atLineStart = text.endsWith('\n')
    // Behind half a line there is no place for it.
    if (atLineStart) spinner?.show()
  }
  return {
    take(event) {
      if (event.type === 'state') spinner?.say(SAID[event.state] ?? '')
      if (event.type !== 'log' || context.global.quiet) return
      write(stderr.isTTY === true ? printableLines(event.text) : event.text)
    },
    close() {
      spinner?.stop()
      if (!atLineStart) stderr.write('\n')
    },
  }
}
