// Log lines with a level.
import { inspect } from 'node:util'
import { sendJson } from './channel.mjs'

const PIECE = 64 * 1024

function writer(level) {
  return (...values) => {
    const text = values.map((each) => (typeof each === 'string' ? each : inspect(each))).join(' ')
    let start = 0
    do {
      const piece = text.slice(start, start + PIECE)
      start += PIECE
      sendJson('L', { level, text: piece, last: start >= text.length })
    } while (start < text.length)
  }
}

export const debug = writer('debug')
export const info = writer('info')
export const warning = writer('warning')
export const warn = warning
export const error = writer('error')
