import type { RunEvent, RunState } from '../../core/runs/run-call.ts'
import { toPrintable, toPrintableLines } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { startSpinner } from './spinner.ts'

/** Shows a run while it is under way. */
export interface RunView {
  onEvent(event: RunEvent): void
  /** Ends what is not ended: the spinner, a line without its end. */
  close(): void
}

const STATE_TEXTS: Readonly<Partial<Record<RunState, string>>> = {
  starting: 'starting',
  running: 'running',
  collecting: 'collecting',
}

/** Logs to standard error as they come; on a terminal a spinner below them. */
export function openRunView(context: Context, label: string): RunView {
  const { stderr } = context
  const spinner = startSpinner(context, toPrintable(label))
  spinner?.setState('starting')
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
    onEvent(event) {
      if (event.type === 'state') spinner?.setState(STATE_TEXTS[event.state] ?? '')
      if (event.type !== 'log' || context.global.quiet) return
      write(stderr.isTTY === true ? toPrintableLines(event.text) : event.text)
    },
    close() {
      spinner?.stop()
      if (!atLineStart) stderr.write('\n')
    },
  }
}
