import type { RequestListener, Server } from 'node:http'

/**
 * Sends `100 Continue` only when the body is read, so that a rejected client does not send it.
 * Without its body, the connection is closed, because the next bytes on it are ambiguous.
 */
export function continueOnReading(server: Server, listener: RequestListener): void {
  server.on('checkContinue', (incoming, outgoing) => {
    const { shouldKeepAlive } = outgoing
    outgoing.shouldKeepAlive = false
    const onReader = (name: string | symbol) => {
      if (name !== 'data' && name !== 'readable') return
      incoming.off('newListener', onReader)
      if (outgoing.headersSent || outgoing.destroyed) return
      outgoing.shouldKeepAlive = shouldKeepAlive
      outgoing.writeContinue()
    }
    incoming.on('newListener', onReader)
    listener(incoming, outgoing)
  })
}
