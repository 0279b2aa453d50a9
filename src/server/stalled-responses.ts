import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Connection {
  /** The last answer on it that was begun. */
  response: ServerResponse
  /** Bytes that the client had taken when it was last looked at. */
  taken: number
  since: number
}

/**
 * Gives up clients that do not take an answer which is written already: they would hold it in
 * memory for as long as they like. Answers that are still being made are left alone.
 */
export function dropStalledResponses(server: Server, idleMs: number): void {
  // By connection, which many answers share: most are gone before anybody looks.
  const connections = new Map<Socket, Connection>()
  server.on('request', ({ socket }, response: ServerResponse) => {
    const known = connections.get(socket)
    if (known) {
      known.response = response
      return
    }
    connections.set(socket, { response, taken: -1, since: 0 })
    socket.once('close', () => void connections.delete(socket))
  })
  const look = () => {
    const now = performance.now()
    for (const [socket, known] of connections) {
      // One without a socket is in line behind another, of which more was written than was taken.
      const isWritten = known.response.writableEnded || !known.response.socket
      if (socket.writableLength === 0 || !isWritten) known.taken = -1
      else if (socket.bytesWritten - socket.writableLength !== known.taken) {
        known.taken = socket.bytesWritten - socket.writableLength
        known.since = now
      } else if (now - known.since > idleMs) socket.destroy()
    }
  }
  const timer = setInterval(look, Math.max(50, idleMs / 4)).unref()
  server.once('close', () => clearInterval(timer))
}
