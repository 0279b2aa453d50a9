import type { McpServer } from '@modelcontextprotocol/server'
import { memoize } from '../../util/memoize.ts'

/** Addresses that one connection may follow. */
const MAX_SUBSCRIPTIONS = 1000
const subscriptionsByServer = memoize((_mcp: McpServer) => new Set<string>())

/** Lets a client of the older protocol follow single resources; the newer one listens instead. */
export function addSubscriptions(mcp: McpServer): void {
  const uris = subscriptionsByServer(mcp)
  mcp.server.setRequestHandler('resources/subscribe', ({ params }) => {
    if (uris.size < MAX_SUBSCRIPTIONS) uris.add(params.uri)
    return {}
  })
  mcp.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    uris.delete(params.uri)
    return {}
  })
}

/** Says to a connected client what changed. */
export async function sendChanges(mcp: McpServer, uris: readonly string[]): Promise<void> {
  if (!mcp.isConnected()) return
  const followed = subscriptionsByServer(mcp)
  const isModern = (mcp.server.getNegotiatedProtocolVersion() ?? '') >= '2026'
  await mcp.server.sendResourceListChanged()
  for (const uri of uris) {
    // The newer protocol's router knows who listens to what.
    if (isModern || followed.has(uri)) await mcp.server.sendResourceUpdated({ uri })
  }
}
