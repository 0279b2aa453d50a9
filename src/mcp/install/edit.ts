import type { McpClient, ServerEntry } from './clients.ts'

/** A server to remove from a file. */
export interface ServerRemoval {
  client: McpClient
  /** Name of the server. */
  name: string
  /** Path for messages. */
  file: string
}

/** A server entry to write to a file. */
export interface ConfigEdit extends ServerRemoval {
  entry: ServerEntry
}
