import type { InputControls, InteractiveRun, RunEvent } from '../../core/runs/run-call.ts'
import type { InteractiveSession } from '../../runtime-handle/handle.ts'
import { attachTerminal, createOutputWriter, getTerminalSize } from '../agent/attach.ts'
import type { Context } from '../context.ts'

/** A run whose code talks to the user. */
export interface AttachedRun {
  interactive: InteractiveRun
  onEvent(event: RunEvent): void
  /** Disconnects the user when the run is over. */
  finish(): Promise<void>
}

/** Connects this terminal, or these pipes, with the standard streams of a run. */
export function attachRun(
  context: Context,
  mode: InteractiveRun['mode'],
  stop: () => void,
): AttachedRun {
  const terminal = getTerminalSize(context)
  const hasTerminal = terminal !== undefined
  let reportStarted = () => {}
  let reportEnded = () => {}
  const started = new Promise<void>((resolve) => (reportStarted = resolve))
  const ended = new Promise<void>((resolve) => (reportEnded = resolve))
  let controls: InputControls | undefined
  let isRunning = true
  const session: InteractiveSession = {
    started,
    ended,
    get isRunning() {
      return isRunning
    },
    writeBytes: (bytes) => controls?.stdin.write(bytes) ?? true,
    drained: async () => await new Promise((resolve) => controls?.stdin.once('drain', resolve)),
    endInput: () => controls?.stdin.end(),
    resize: (columns, rows) => controls?.resize(columns, rows),
    kill: async () => {
      stop()
      return true
    },
    result: async () => ({}),
  }
  const attached = attachTerminal(context, session, hasTerminal)
  const write = createOutputWriter(context, hasTerminal)
  return {
    interactive: {
      mode,
      terminal: terminal && { ...terminal, type: context.env['TERM'] ?? 'dumb' },
      onStarted(running) {
        controls = running
        reportStarted()
      },
    },
    onEvent(event) {
      if (event.type !== 'log') return
      // The results of statements are the output of the command, the debugger's are not.
      const isOutput = mode === 'repl' && event.stream === 'stdout'
      if (event.stream === 'runtime' && context.global.quiet) return
      // Only output of the terminal inside has its line ends.
      const isLine = hasTerminal && (event.stream === 'log' || event.stream === 'runtime')
      const text = isLine ? event.text.replaceAll('\n', '\r\n') : event.text
      void write(isOutput || hasTerminal ? 'stdout' : 'stderr', Buffer.from(text))
    },
    async finish() {
      isRunning = false
      reportEnded()
      await attached
    },
  }
}
