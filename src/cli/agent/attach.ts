import { setTimeout as sleep } from 'node:timers/promises'
import type { InteractiveSession } from '../../runtime-handle/handle.ts'
import type { Context } from '../context.ts'
import { createLineFeedFilter } from './line-feeds.ts'
import { TerminalGuard } from './terminal-guard.ts'

/** Time for the terminal to reply to queries sent just before the end. */
const TERMINAL_REPLY_MS = 50

type TerminalInput = NodeJS.ReadableStream & {
  isTTY?: boolean
  setRawMode?(isRaw: boolean): void
}
type TerminalOutput = NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number }

/** Size of the interactive terminal; undefined if there is none. */
export function getTerminalSize(context: Context): { columns: number; rows: number } | undefined {
  const output = context.stdout as TerminalOutput
  const isPerson = (context.stdin as TerminalInput).isTTY === true && output.isTTY === true
  return isPerson ? { columns: output.columns || 80, rows: output.rows || 24 } : undefined
}

/** Creates a writer for the session's output, filtered for a terminal. */
export function createOutputWriter(context: Context, hasTerminal: boolean) {
  const guard = new TerminalGuard()
  const filterLineFeeds = createLineFeedFilter()
  return (stream: 'stdout' | 'stderr', chunk: Buffer): Promise<void> | undefined => {
    const target = stream === 'stdout' ? context.stdout : context.stderr
    const isFull = !target.write(hasTerminal ? filterLineFeeds(guard.filter(chunk)) : chunk)
    return isFull ? new Promise((resolve) => target.once('drain', () => resolve())) : undefined
  }
}

/** Forwards keyboard input to a session until it ends. */
export async function attachTerminal(
  context: Context,
  session: InteractiveSession,
  hasTerminal: boolean,
): Promise<void> {
  const input = context.stdin as TerminalInput
  const output = context.stdout as TerminalOutput
  const type = (chunk: Buffer | string) => {
    if (!session.isRunning) return
    const isFull = !session.writeBytes(Buffer.from(chunk as Buffer))
    if (!isFull) return
    input.pause()
    void session.drained().then(() => input.resume())
  }
  const resize = () => session.resize(output.columns || 80, output.rows || 24)
  const endInput = () => session.endInput()
  const stop = () => void session.kill(0)
  await Promise.race([session.started, session.ended])
  context.signal.addEventListener('abort', stop, { once: true })
  if (context.signal.aborted) stop()
  if (hasTerminal) input.setRawMode?.(true)
  input.on('data', type)
  input.on('end', endInput)
  output.on('resize', resize)
  if (hasTerminal) resize()
  try {
    await session.ended
    // Late replies would be typed into the calling shell.
    if (hasTerminal) await sleep(TERMINAL_REPLY_MS)
  } finally {
    context.signal.removeEventListener('abort', stop)
    input.off('data', type).off('end', endInput)
    output.off('resize', resize)
    if (hasTerminal) input.setRawMode?.(false)
    input.pause()
  }
}
