import type { McpContext } from './make-server.ts'
import type { McpOptions } from './mcp-options.ts'
import { createSkillCatalog } from './skills/skill-catalog.ts'
import { makeToolTable } from './tools/tool-table.ts'

/** Creates what all servers of a process share. Reads nothing yet. */
export function createMcpContext(options: McpOptions): McpContext {
  return {
    options,
    table: makeToolTable(options.methods, options.runtime.config.workspace),
    catalog: createSkillCatalog(options),
    announceChanges: () => {},
  }
}
