import type { ChildProcess } from 'node:child_process'
import { callOnExit, killProgramTree } from './kill-program-tree.ts'

/**
 * Time after the exit for output that descendants still print, and for the end of the streams to
 * arrive.
 */
const DRAIN_MS = 500

/** Time for execa's result after a killed program has exited; its output is closed already. */
const RESULT_MS = 20

/** Reason for which this process killed the program; undefined if it ended on its own. */
export type ProgramEndReason = 'timed out' | 'cancelled'

interface ProgramSupervision {
  readonly endReason: ProgramEndReason | undefined
  end(): void
  /**
   * Waits for the result, but gives up on a program that cannot be killed, such as one of another
   * user.
   */
  waitForExit<T>(ended: Promise<T>): Promise<T | undefined>
}

interface SupervisionLimits {
  timeoutMs: number | undefined
  signal: AbortSignal | undefined
  hasGroup: boolean
}

/**
 * Kills a program and its descendants on timeout, on cancellation, on too much output and after its
 * exit.
 */
export function superviseProgram(
  child: ChildProcess,
  { timeoutMs, signal, hasGroup }: SupervisionLimits,
): ProgramSupervision {
  let ending: ProgramEndReason | undefined
  let isEnding = false
  let giveUp = (): void => {}
  const gaveUp = new Promise<undefined>((resolve) => (giveUp = () => resolve(undefined)))
  const timers: NodeJS.Timeout[] = []
  const end = (reason?: ProgramEndReason): void => {
    if (isEnding) return
    isEnding = true
    ending = reason
    killProgramTree(child, hasGroup)
    // A process that left the tree may hold them open.
    for (const stream of child.stdio) stream?.destroy()
    timers.push(setTimeout(giveUp, DRAIN_MS))
  }
  const cancel = (): void => end('cancelled')
  const limit = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs, 'timed out')
  signal?.addEventListener('abort', cancel, { once: true })
  child.once('exit', () => {
    clearTimeout(limit)
    // Lets this process first read output that queued up while it was busy.
    if (isEnding) timers.push(setTimeout(giveUp, RESULT_MS))
    else timers.push(setTimeout(() => setImmediate(end), DRAIN_MS))
  })
  for (const stream of [child.stdout, child.stderr]) {
    // A stream that closes before its end has reached the output limit.
    stream?.once('close', () => {
      if (!stream.readableEnded) end()
    })
  }
  const unregister = callOnExit(end)
  return {
    get endReason() {
      return ending
    },
    end,
    async waitForExit(ended) {
      const result = await Promise.race([ended, gaveUp])
      for (const timer of [limit, ...timers]) clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      unregister()
      if (!isEnding) killProgramTree(child, hasGroup)
      isEnding = true
      child.unref()
      return result
    },
  }
}
