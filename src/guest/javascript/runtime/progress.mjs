// The function `progress`. At most one message per interval is sent, so that a loop may call it for
// each of its steps.
import { sendJson } from './channel.mjs'

const INTERVAL_MS = 100
const MESSAGE_LIMIT = 500

let sentAt = -Infinity
let pending

/** Reports that `done` of `total` steps are complete, with an optional text. */
export function progress(done, total, message) {
  checkNumber('total', total, Infinity)
  checkNumber('done', done, total)
  if (message !== undefined && message !== null && typeof message !== 'string') {
    throw new TypeError(`progress: expected message to be text, got ${typeof message}`)
  }
  pending = { done, total, ...(message && { message: message.slice(0, MESSAGE_LIMIT) }) }
  if (performance.now() - sentAt >= INTERVAL_MS) flushProgress()
}

/** Sends the latest values, which may still wait for the end of the interval. */
export function flushProgress() {
  if (pending === undefined) return
  const value = pending
  pending = undefined
  sentAt = performance.now()
  sendJson('P', value)
}

function checkNumber(name, value, largest) {
  if (typeof value !== 'number') {
    throw new TypeError(`progress: expected ${name} to be a number, got ${typeof value}`)
  }
  if (Number.isFinite(value) && value >= 0 && value <= largest) return
  const limit = largest === Infinity ? '' : ` and at most the total, ${largest}`
  throw new RangeError(`progress: expected ${name} to be at least 0${limit}, got ${value}`)
}
