// A load generator with little cost of its own: keep-alive connections, constant bytes, and
// responses that are counted by length instead of parsed.
import { connect } from 'node:net'

/** Builds the bytes of one request. */
export function encodeRequest(port, body, more = '') {
  const bytes = Buffer.byteLength(body)
  return Buffer.from(
    `POST /rpc HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${bytes}\r\n${more}\r\n${body}`,
  )
}

/**
 * Sends requests over a number of connections, each the next one after the previous response, until
 * `isDone` returns true. Returns the number of responses and the milliseconds; throws if a status
 * is not 200.
 */
export async function load({ port, next, connections, isDone }) {
  let answered = 0
  const start = performance.now()
  const client = () =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1')
      socket.setNoDelay(true)
      let waiting = Buffer.alloc(0)
      let missing = 0
      const send = () => (isDone(answered) ? socket.end() : socket.write(next()))
      const finish = () => {
        answered += 1
        send()
      }
      socket.on('connect', send)
      socket.on('error', reject)
      socket.on('close', resolve)
      socket.on('data', (chunk) => {
        if (missing > 0) {
          missing -= chunk.length
          if (missing === 0) finish()
          return
        }
        waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
        const end = waiting.indexOf('\r\n\r\n')
        if (end === -1) return
        const head = waiting.toString('latin1', 0, end)
        if (!head.startsWith('HTTP/1.1 200')) reject(new Error(`answered with ${head}`))
        const length = Number(/^content-length: (\d+)/im.exec(head)?.[1])
        missing = length - (waiting.length - end - 4)
        waiting = Buffer.alloc(0)
        if (missing === 0) finish()
      })
    })
  await Promise.all(Array.from({ length: connections }, client))
  return { answered, ms: performance.now() - start }
}

/** Generates load for a number of milliseconds. */
export async function loadFor(ms, options) {
  const end = performance.now() + ms
  return await load({ ...options, isDone: () => performance.now() >= end })
}
