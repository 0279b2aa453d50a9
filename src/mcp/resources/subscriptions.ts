import type { McpServer } from '@modelcontextprotocol/server'
import { memoize } from '../../util/memoize.ts'

/** Maximum number of URIs that one connection can subscribe to. */
const MAX_SUBSCRIPTIONS = 1000
const subscriptionsByServer = memoize((_mcp: McpServer) => new Set<string>())

/** Handles subscriptions of older protocol revisions; newer ones use `subscriptions/listen`. */
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

/** Notifies a connected client of changed resources. */
export async function sendChanges(mcp: McpServer, uris: readonly string[]): Promise<void> {
  if (!mcp.isConnected()) return
  const followed = subscriptionsByServer(mcp)
  const isModern = (mcp.server.getNegotiatedProtocolVersion() ?? '') >= '2026'
  await mcp.server.sendResourceListChanged()
  for (const uri of uris) {
    // In newer revisions, the SDK's router filters by subscription.
    if (isModern || followed.has(uri)) await mcp.server.sendResourceUpdated({ uri })
  }
}
