import type { ToolCaller } from '../../rpc/tool-caller.ts'

/** An authenticated request of /mcp with its body. */
interface McpRequest {
  request: Request
  /** Parsed body of a POST request. */
  body: unknown
  caller: ToolCaller
}

/** Serves MCP over HTTP. Implemented next to its SDK, which the server does not load. */
export interface McpEndpoint {
  handle(request: McpRequest): Promise<Response>
  /** Notifies subscribed clients that skills changed. */
  notifySkillsChanged(): void
  /** Ends the streams and idle sessions of callers whose token is no longer accepted. */
  dropCallers(names: readonly string[]): void
  /** Ends streams that wait for notifications. Running calls continue. */
  drain(): void
  close(): Promise<void>
}
