import { serveStdio as serve } from '@modelcontextprotocol/server/stdio'
import type { McpServer } from '@modelcontextprotocol/server'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { makeServer, type McpContext } from '../make-server.ts'
import { createMcpContext } from '../create-mcp-context.ts'
import type { McpOptions } from '../mcp-options.ts'
import { sendChanges } from '../resources/subscriptions.ts'
import type { LineTransport } from './line-transport.ts'

/** A server on stdin and stdout. */
interface StdioServer {
  /** Notifies the client that skills changed. */
  notifySkillsChanged(): void
  /**
   * Starts to track skills. If the client already received a list, it is notified of differences.
   */
  trackSkills(): void
  close(): Promise<void>
}

/** Serves one client, with the protocol revision that its first message selects. */
export function serveMcpStdio(
  options: McpOptions,
  caller: ToolCaller,
  transport: LineTransport,
): StdioServer {
  const parts: McpContext = createMcpContext(options)
  let server: McpServer | undefined
  const onerror = (error: Error) => options.onNotice('A message could not be served', error.message)
  const announce = async () => {
    const uris = await parts.catalog.findChanges()
    if (uris && server) await sendChanges(server, uris)
  }
  parts.announceChanges = () => void announce().catch(onerror)
  const handle = serve(async () => (server = await makeServer(parts, caller)), {
    transport,
    onerror,
  })
  return {
    notifySkillsChanged() {
      parts.announceChanges()
    },
    trackSkills() {
      if (parts.catalog.hasSnapshot) parts.announceChanges()
      else void parts.catalog.readSnapshot().catch(onerror)
    },
    close: async () => await handle.close(),
  }
}
