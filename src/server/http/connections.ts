import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface Connection {
  /** The last answer on it that was begun. */
  response: ServerResponse | undefined
  /** Bytes that the client had taken when it was last looked at. */
  takenBytes: number
  since: number
}

/** The connections of a server. */
export interface Connections {
  /** Ends those on which no answer is under way, whatever else their clients have begun to say. */
  closeIdle(): void
}

/**
 * Gives up clients that do not take an answer which is written already: they would hold it in
 * memory for as long as they like. Answers that are still being made are left alone.
 */
export function watchConnections(server: Server, idleMs: number): Connections {
  const connections = new Map<Socket, Connection>()
  server.on('connection', (socket) => {
    connections.set(socket, { response: undefined, takenBytes: -1, since: 0 })
    socket.once('close', () => void connections.delete(socket))
  })
  for (const event of ['request', 'checkContinue']) {
    server.on(event, ({ socket }: { socket: Socket }, response: ServerResponse) => {
      const known = connections.get(socket)
      if (known) known.response = response
    })
  }
  const look = () => {
    const now = performance.now()
    for (const [socket, known] of connections) {
      if (socket.writableLength === 0 || !isFullyWritten(known)) known.takenBytes = -1
      else if (socket.bytesWritten - socket.writableLength !== known.takenBytes) {
        known.takenBytes = socket.bytesWritten - socket.writableLength
        known.since = now
      } else if (now - known.since > idleMs) socket.destroy()
    }
  }
  const timer = setInterval(look, Math.max(50, idleMs / 4)).unref()
  server.once('close', () => clearInterval(timer))
  return {
    closeIdle() {
      for (const [socket, { response }] of connections) {
        if (!response || response.writableFinished || response.destroyed) socket.destroy()
      }
    },
  }
}

/** One without a socket is in line behind another, of which more was written than was taken. */
function isFullyWritten({ response }: Connection): boolean {
  return response !== undefined && (response.writableEnded || !response.socket)
}
