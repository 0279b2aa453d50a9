import type { McpOptions } from '../mcp-options.ts'
import type { McpHttpHandler } from './http-handler.ts'

/** Loads the handler on the first request, so that a server without MCP clients starts faster. */
export function createLazyMcpHttpHandler(options: McpOptions): McpHttpHandler {
  let handler: Promise<McpHttpHandler> | undefined
  const load = async () => (await import('./http-handler.ts')).createMcpHttpHandler(options)
  return {
    handle: async (request) => await (await (handler ??= load())).handle(request),
    notifySkillsChanged: () => void handler?.then((opened) => opened.notifySkillsChanged()),
    dropCallers: (names) => void handler?.then((opened) => opened.dropCallers(names)),
    drain: () => void handler?.then((opened) => opened.drain()),
    close: async () => await (await handler)?.close(),
  }
}
