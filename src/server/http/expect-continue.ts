import type { RequestListener, Server } from 'node:http'

/**
 * Asks for a body that a client holds back only when somebody reads it: who is refused need not send
 * it. Without a body the connection is of no more use, for nobody knows what comes next on it.
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
