import type { McpParts } from './make-server.ts'
import type { McpOptions } from './mcp-options.ts'
import { makeCatalog } from './skills/skill-catalog.ts'
import { makeToolTable } from './tools/tool-table.ts'

/** What all servers of a process share; nothing is read yet. */
export function makeParts(options: McpOptions): McpParts {
  return {
    options,
    table: makeToolTable(options.methods),
    catalog: makeCatalog(options),
    tellChanges: () => {},
  }
}
