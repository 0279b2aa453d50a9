import type { McpClient, ServerEntry } from './clients.ts'

/** A server entry to write to a file. */
export interface ConfigEdit {
  client: McpClient
  /** Name of the server. */
  name: string
  entry: ServerEntry
  /** Path for messages. */
  file: string
}
