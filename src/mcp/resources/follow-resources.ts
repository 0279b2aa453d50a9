import type { McpServer } from '@modelcontextprotocol/server'
import { memo } from '../../util/memo.ts'

/** Addresses that one connection may follow. */
const MAX_FOLLOWED = 1000
const followedBy = memo((_mcp: McpServer) => new Set<string>())

/** Lets a client of the older protocol follow single resources; the newer one listens instead. */
export function followResources(mcp: McpServer): void {
  const uris = followedBy(mcp)
  mcp.server.setRequestHandler('resources/subscribe', ({ params }) => {
    if (uris.size < MAX_FOLLOWED) uris.add(params.uri)
    return {}
  })
  mcp.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    uris.delete(params.uri)
    return {}
  })
}

/** Says to a connected client what changed. */
export async function tellChanges(mcp: McpServer, uris: readonly string[]): Promise<void> {
  if (!mcp.isConnected()) return
  const followed = followedBy(mcp)
  const isModern = (mcp.server.getNegotiatedProtocolVersion() ?? '') >= '2026'
  await mcp.server.sendResourceListChanged()
  for (const uri of uris) {
    // The newer protocol's router knows who listens to what.
    if (isModern || followed.has(uri)) await mcp.server.sendResourceUpdated({ uri })
  }
}
