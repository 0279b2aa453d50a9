import type { ChildProcess } from 'node:child_process'
import { callOnExit, killProgramTree } from './kill-program-tree.ts'

/** Time for output that a program's children still print after its exit, and for its end to be seen. */
const DRAIN_MS = 500

/** Time for the result of a program that was ended and is dead: its output is closed already. */
const RESULT_MS = 20

/** Why a program was ended, where that is not its own doing. */
export type ProgramEndReason = 'timed out' | 'cancelled'

interface ProgramSupervision {
  readonly ending: ProgramEndReason | undefined
  end(): void
  /** Waits for the program, but not for one that cannot be ended, such as one of another user. */
  waitForExit<T>(ended: Promise<T>): Promise<T | undefined>
}

interface SupervisionLimits {
  timeoutMs: number | undefined
  signal: AbortSignal | undefined
  hasGroup: boolean
}

/** Ends a program with all that it started: when its time is over, when it prints too much, after its exit. */
export function superviseProgram(
  child: ChildProcess,
  { timeoutMs, signal, hasGroup }: SupervisionLimits,
): ProgramSupervision {
  let ending: ProgramEndReason | undefined
  let isEnding = false
  let giveUp = (): void => {}
  const gaveUp = new Promise<undefined>((resolve) => (giveUp = () => resolve(undefined)))
  const timers: NodeJS.Timeout[] = []
  const end = (why?: ProgramEndReason): void => {
    if (isEnding) return
    isEnding = true
    ending = why
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
    // Output that waits while this process was busy is read first.
    if (isEnding) timers.push(setTimeout(giveUp, RESULT_MS))
    else timers.push(setTimeout(() => setImmediate(end), DRAIN_MS))
  })
  for (const stream of [child.stdout, child.stderr]) {
    // One that is closed before its end has reached the limit of output.
    stream?.once('close', () => {
      if (!stream.readableEnded) end()
    })
  }
  const forget = callOnExit(end)
  return {
    get ending() {
      return ending
    },
    end,
    async waitForExit(ended) {
      const first = await Promise.race([ended, gaveUp])
      for (const timer of [limit, ...timers]) clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      forget()
      if (!isEnding) killProgramTree(child, hasGroup)
      isEnding = true
      child.unref()
      return first
    },
  }
}
