import type { ToolCaller } from '../../rpc/tool-caller.ts'

/** One request of /mcp that was let in, its body read. */
interface McpRequest {
  request: Request
  /** The parsed body of a POST. */
  body: unknown
  caller: ToolCaller
}

/** Serves the Model Context Protocol over HTTP; made elsewhere, where its SDK lives. */
export interface McpEndpoint {
  handle(request: McpRequest): Promise<Response>
  /** Says to whoever listens that skills were edited. */
  notifySkillsChanged(): void
  /** Ends what waits for news; calls that are under way go on. */
  drain(): void
  /** Ends everything. */
  close(): Promise<void>
}
