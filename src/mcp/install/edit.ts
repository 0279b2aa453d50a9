import type { McpClient, ServerEntry } from './clients.ts'

/** A server that is to stand in a file. */
export interface ConfigEdit {
  client: McpClient
  /** Of the server. */
  name: string
  entry: ServerEntry
  /** As it is shown. */
  file: string
}
