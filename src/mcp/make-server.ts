import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
} from '@modelcontextprotocol/server'
import type { ToolCaller } from '../rpc/tool-caller.ts'
import { addGuidePrompt } from './guide-prompt.ts'
import type { McpOptions } from './mcp-options.ts'
import { mendErrors } from './mend-errors.ts'
import { addBlobResources } from './resources/blob-resources.ts'
import { completeResources } from './resources/complete.ts'
import { listResources } from './resources/list-resources.ts'
import { addRunResources } from './resources/run-resources.ts'
import { followResources } from './resources/follow-resources.ts'
import { CAPABILITIES, FIXED_MS, SERVER_NAME, SERVER_TITLE } from './server-info.ts'
import type { SkillCatalog } from './skills/skill-catalog.ts'
import { callTool } from './tools/call-tool.ts'
import type { ToolTable } from './tools/tool-table.ts'

/** What servers of one process share. */
export interface McpParts {
  options: McpOptions
  table: ToolTable
  catalog: SkillCatalog
  /** Tells clients of what changed among the skills. */
  tellChanges: () => void
}

const FIXED = { ttlMs: FIXED_MS, cacheScope: 'private' } as const

/** A server for one caller: of one request, one session or one process. */
export async function makeServer(parts: McpParts, caller: ToolCaller): Promise<McpServer> {
  const { options, catalog } = parts
  const server = new McpServer(
    { name: SERVER_NAME, title: SERVER_TITLE, version: options.version },
    {
      capabilities: CAPABILITIES,
      instructions: await options.instructions(),
      cacheHints: {
        'tools/list': FIXED,
        'prompts/list': FIXED,
        'resources/templates/list': FIXED,
        'server/discover': FIXED,
      },
    },
  )
  mendErrors(server, caller)
  catalog.extension.attach(server)
  addBlobResources(server, caller)
  addRunResources(server, caller)
  addGuidePrompt(server, caller)
  completeResources(server, caller)
  listResources(server, catalog)
  followResources(server)
  offerTools(server, parts, caller)
  return server
}

/** The methods check their parameters themselves, and say what is wrong in words for a model. */
function offerTools(
  { server }: McpServer,
  { table, tellChanges }: McpParts,
  caller: ToolCaller,
): void {
  server.setRequestHandler('tools/list', ({ params }) => {
    if (params?.cursor === undefined) return { tools: [...table.tools] }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'All tools are on one page')
  })
  server.setRequestHandler('tools/call', async ({ params }, ctx): Promise<CallToolResult> => {
    const method = table.find(params.name)
    if (method) {
      const result = await callTool(caller, method, { args: params.arguments, ctx })
      // Nobody need watch for what came by a call.
      if (method.name === 'create_skill' && result.isError !== true) tellChanges()
      return result
    }
    const shown = params.name.slice(0, 100)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${shown}"`)
  })
}
