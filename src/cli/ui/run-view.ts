import {
  LOG_LEVELS,
  type LogLevel,
  type RunEvent,
  type RunState,
} from '../../core/runs/run-call.ts'
import { toPrintable, toPrintableLines } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { startSpinner } from './spinner.ts'

/** Progress display of a run. */
export interface RunView {
  onEvent(event: RunEvent): void
  /** Removes the spinner and ends an open line. */
  close(): void
}

const STATE_TEXTS: Readonly<Partial<Record<RunState, string>>> = {
  starting: 'starting',
  running: 'running',
  collecting: 'collecting',
}

/** Logs on standard error; on a terminal a spinner below them. */
export function openRunView(
  context: Context,
  label: string,
  minLevel: LogLevel = 'debug',
): RunView {
  const { stderr } = context
  const spinner = startSpinner(context, toPrintable(label))
  spinner?.setState('starting')
  let atLineStart = true
  const write = (text: string) => {
    if (text === '') return
    spinner?.hide()
    stderr.write(text)
    atLineStart = text.endsWith('\n')
    // The spinner needs a line of its own.
    if (atLineStart) spinner?.show()
  }
  return {
    onEvent(event) {
      if (event.type === 'state') spinner?.setState(STATE_TEXTS[event.state] ?? '')
      if (event.type === 'progress') spinner?.setProgress(event)
      if (event.type !== 'log' || context.global.quiet || isBelow(event.level, minLevel)) return
      write(stderr.isTTY === true ? toPrintableLines(event.text) : event.text)
    },
    close() {
      spinner?.stop()
      if (!atLineStart) stderr.write('\n')
    },
  }
}

/** Printed text has no level and is always shown. */
function isBelow(level: LogLevel | undefined, minLevel: LogLevel): boolean {
  return level !== undefined && LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(minLevel)
}
