import {
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
} from '@modelcontextprotocol/server'
import type { ToolCaller } from '../rpc/tool-caller.ts'
import type { McpOptions } from './mcp-options.ts'
import { sanitizeErrors } from './sanitize-errors.ts'
import { addCompletions } from './completions/add-completions.ts'
import { addUseSkillPrompt } from './prompts/use-skill-prompt.ts'
import { addBlobResources } from './resources/blob-resources.ts'
import { addRunResources } from './resources/run-resources.ts'
import { addSkillTemplate } from './resources/skill-resources.ts'
import { addSubscriptions } from './resources/subscriptions.ts'
import { LEGACY_CAPABILITIES, STATIC_TTL_MS, SERVER_NAME, SERVER_TITLE } from './server-info.ts'
import type { SkillCatalog } from './skills/skill-catalog.ts'
import { addTasks } from './tasks/add-tasks.ts'
import { callAsTask } from './tasks/call-as-task.ts'
import { callTool } from './tools/call-tool.ts'
import type { ToolTable } from './tools/tool-table.ts'
import { GUIDE_PROMPT } from './prompts/prompt-listings.ts'
import { takePage } from './skills/page.ts'

/** State shared by all servers of a process. */
export interface McpContext {
  options: McpOptions
  table: ToolTable
  catalog: SkillCatalog
  /** Notifies clients of changed skills. */
  announceChanges: () => void
}

const STATIC_CACHE = { ttlMs: STATIC_TTL_MS, cacheScope: 'private' } as const

/** Creates a server for one caller: per request, per session or per process. */
export async function makeServer(parts: McpContext, caller: ToolCaller): Promise<McpServer> {
  const { options, catalog } = parts
  const server = new McpServer(
    { name: SERVER_NAME, title: SERVER_TITLE, version: options.version },
    {
      // The SDK removes tasks in revisions that have none.
      capabilities: LEGACY_CAPABILITIES,
      instructions: await options.instructions(),
      cacheHints: {
        'tools/list': STATIC_CACHE,
        'prompts/list': STATIC_CACHE,
        'resources/templates/list': STATIC_CACHE,
        'server/discover': STATIC_CACHE,
      },
    },
  )
  sanitizeErrors(server, caller)
  catalog.extension.attach(server)
  addBlobResources(server, caller)
  addRunResources(server, caller)
  addSkillTemplate(server)
  addGuidePrompt(server, caller)
  addUseSkillPrompt(server, caller)
  addCompletions(server, { caller, catalog })
  addResourceList(server, catalog)
  addSubscriptions(server)
  addTasks(server, caller)
  addTools(server, parts, caller)
  return server
}

/** Methods validate their own parameters, with messages written for models. */
function addTools(
  { server }: McpServer,
  { table, options, announceChanges: tellChanges }: McpContext,
  caller: ToolCaller,
): void {
  server.setRequestHandler('tools/list', ({ params }) => {
    if (params?.cursor === undefined) return { tools: [...table.tools] }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'All tools are on one page')
  })
  server.setRequestHandler('tools/call', async ({ params }, ctx): Promise<CallToolResult> => {
    const method = table.find(params.name)
    if (method) {
      // Revisions without tasks have no such parameter.
      const isTask = (params as { task?: unknown }).task !== undefined
      if (isTask) return await callAsTask(caller, method, { args: params.arguments, ctx })
      const result = await callTool(caller, method, {
        args: params.arguments,
        ctx,
        offered: table.names,
        session: options.session,
      })
      // Announces the new skill even if folders are not watched.
      if (method.name === 'create_skill' && result.isError !== true) tellChanges()
      return result
    }
    const quotedName = params.name.slice(0, 100)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${quotedName}"`)
  })
}

/** Offers the guide as a prompt, for clients that show prompts to users. */
function addGuidePrompt(server: McpServer, { runtime }: ToolCaller): void {
  const { name, ...listing } = GUIDE_PROMPT
  server.registerPrompt(name, listing, async () => {
    const { content: text } = await runtime.loadSkillsProtocolGuide()
    return { messages: [{ role: 'user', content: { type: 'text', text } }] }
  })
}

/** Lists the skills, page by page. Blobs and runs are found through the results that name them. */
function addResourceList({ server }: McpServer, catalog: SkillCatalog): void {
  server.setRequestHandler('resources/list', async ({ params }) => {
    const { items, nextCursor } = takePage((await catalog.readSnapshot()).listed, params?.cursor)
    return { resources: [...items], ...(nextCursor !== undefined && { nextCursor }) }
  })
}
