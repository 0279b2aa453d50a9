import type { Server, ServerResponse } from 'node:http'

interface Pending {
  /** Bytes that the client had taken when it was last looked at. */
  taken: number
  since: number
}

/**
 * Gives up clients that do not take an answer which is written already: they would hold it in
 * memory for as long as they like. Answers that are still being made are left alone.
 */
export function dropStalledResponses(server: Server, idleMs: number): void {
  const pending = new Map<ServerResponse, Pending>()
  server.on('request', (_, response: ServerResponse) => {
    pending.set(response, { taken: -1, since: 0 })
    response.once('close', () => void pending.delete(response))
  })
  const look = () => {
    const now = performance.now()
    for (const [response, known] of pending) {
      const { socket } = response
      if (!socket || !response.writableEnded) continue
      if (socket.bytesWritten - socket.writableLength !== known.taken) {
        pending.set(response, { taken: socket.bytesWritten - socket.writableLength, since: now })
      } else if (now - known.since > idleMs) socket.destroy()
    }
  }
  const timer = setInterval(look, Math.max(50, idleMs / 4)).unref()
  server.once('close', () => clearInterval(timer))
}
