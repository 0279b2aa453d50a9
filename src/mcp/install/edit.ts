import type { Client, ServerEntry } from './clients.ts'

/** A server that is to stand in a file. */
export interface Edit {
  client: Client
  /** Of the server. */
  name: string
  entry: ServerEntry
  /** As it is shown. */
  file: string
}
