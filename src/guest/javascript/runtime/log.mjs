// Log lines with a level.
import { inspect } from 'node:util'
import { sendJson } from './channel.mjs'

const PIECE = 64 * 1024

function createWriter(level) {
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

export const debug = createWriter('debug')
export const info = createWriter('info')
export const warning = createWriter('warning')
export const warn = warning
export const error = createWriter('error')
