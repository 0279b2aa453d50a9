import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Connection {
  /** The latest response on the connection. */
  response: ServerResponse | undefined
  /** Bytes that the client had received at the last check. */
  takenBytes: number
  since: number
}

export interface Connections {
  /** Closes connections without a response in progress, even if a request has partly arrived. */
  closeIdle(): void
}

/**
 * Closes connections of clients that stop reading a finished response, which would remain in
 * memory. Responses that are still being produced are unaffected.
 */
export function watchConnections(server: Server, idleMs: number): Connections {
  const connections = new Map<Socket, Connection>()
  server.on('connection', (socket) => {
    connections.set(socket, { response: undefined, takenBytes: -1, since: 0 })
    socket.once('close', () => void connections.delete(socket))
  })
  for (const event of ['request', 'checkContinue']) {
    server.on(event, ({ socket }: { socket: Socket }, response: ServerResponse) => {
      const connection = connections.get(socket)
      if (connection) connection.response = response
    })
  }
  const checkConnections = () => {
    const now = performance.now()
    for (const [socket, connection] of connections) {
      if (socket.writableLength === 0 || !isFullyWritten(connection)) connection.takenBytes = -1
      else if (socket.bytesWritten - socket.writableLength !== connection.takenBytes) {
        connection.takenBytes = socket.bytesWritten - socket.writableLength
        connection.since = now
      } else if (now - connection.since > idleMs) socket.destroy()
    }
  }
  const timer = setInterval(checkConnections, Math.max(50, idleMs / 4)).unref()
  server.once('close', () => clearInterval(timer))
  return {
    closeIdle() {
      for (const [socket, { response }] of connections) {
        if (!response || response.writableFinished || response.destroyed) socket.destroy()
      }
    },
  }
}

/** A response without a socket is queued behind another one, so there is unread output. */
function isFullyWritten({ response }: Connection): boolean {
  return response !== undefined && (response.writableEnded || !response.socket)
}
