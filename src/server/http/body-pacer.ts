import type { IncomingMessage } from 'node:http'

/** Bytes of large bodies that are read in one turn of the event loop. */
const TURN_BYTES = 512 * 1024
/** The beginning of a body is never delayed. */
const SMALL_BYTES = 64 * 1024
/** Bodies that continue in one turn; each is read in chunks of 64 KiB. */
const RESUMED_BODIES = 8

/**
 * Limits how much of large bodies is read in one turn of the event loop, so that a flood of them
 * does not delay other requests. Callers take turns, whatever the number of their connections.
 */
export interface BodyPacer {
  /** Counts a chunk, after which `read` bytes of the body were read, and may pause the body. */
  count(incoming: IncomingMessage, chunk: { bytes: number; read: number; caller: string }): void
}

export function createBodyPacer(): BodyPacer {
  /** Paused bodies by caller. */
  const paused = new Map<string, IncomingMessage[]>()
  let turnBytes = 0
  let isScheduled = false
  const startTurn = () => {
    turnBytes = 0
    isScheduled = false
    for (let count = 0; count < RESUMED_BODIES; count++) takeNext(paused)?.resume()
    if (paused.size > 0) schedule()
  }
  const schedule = () => {
    if (!isScheduled) setImmediate(startTurn)
    isScheduled = true
  }
  return {
    count(incoming, { bytes, read, caller }) {
      turnBytes += bytes
      schedule()
      if (turnBytes <= TURN_BYTES || read <= SMALL_BYTES) return
      const waiting = paused.get(caller)
      if (waiting) waiting.push(incoming.pause())
      else paused.set(caller, [incoming.pause()])
    },
  }
}

/** Removes the next body of the caller whose turn it is. */
function takeNext(paused: Map<string, IncomingMessage[]>): IncomingMessage | undefined {
  const [next] = paused
  if (!next) return undefined
  const [caller, waiting] = next
  paused.delete(caller)
  const incoming = waiting.shift()
  if (waiting.length > 0) paused.set(caller, waiting)
  return incoming
}
