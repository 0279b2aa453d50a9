import { serveStdio as serve } from '@modelcontextprotocol/server/stdio'
import type { McpServer } from '@modelcontextprotocol/server'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { makeServer, type McpParts } from '../make-server.ts'
import { makeParts } from '../make-parts.ts'
import type { McpOptions } from '../mcp-options.ts'
import { tellChanges } from '../resources/follow-resources.ts'
import type { LineTransport } from './line-transport.ts'

/** A server on standard input and output. */
interface StdioServer {
  /** Says to the client that skills were edited. */
  skillsChanged(): void
  /** Looks at the skills from now on; what the client was told before is compared with them. */
  follow(): void
  close(): Promise<void>
}

/** Serves one client, in whichever era of the protocol it begins. */
export function serveLines(
  options: McpOptions,
  caller: ToolCaller,
  transport: LineTransport,
): StdioServer {
  const parts: McpParts = makeParts(options)
  let server: McpServer | undefined
  const onerror = (error: Error) => options.onRemark('A message could not be served', error.message)
  const tell = async () => {
    const uris = await parts.catalog.changes()
    if (uris && server) await tellChanges(server, uris)
  }
  parts.tellChanges = () => void tell().catch(onerror)
  const handle = serve(async () => (server = await makeServer(parts, caller)), {
    transport,
    onerror,
  })
  return {
    skillsChanged() {
      parts.tellChanges()
    },
    follow() {
      if (parts.catalog.isKnown) parts.tellChanges()
      else void parts.catalog.current().catch(onerror)
    },
    close: async () => await handle.close(),
  }
}
