import type { McpServer } from '@modelcontextprotocol/server'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { LOGS, OUTPUT, RECORD, RUN_TEMPLATE } from './run-uri.ts'

/** Maximum number of values in one completion. */
const MAX_VALUES = 100

/**
 * Completes the variables of resource templates. Run ids are completed for the local operator only.
 */
export function addCompletions({ server }: McpServer, caller: ToolCaller): void {
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    const { name, value } = argument
    const isRun = ref.type === 'ref/resource' && ref.uri === RUN_TEMPLATE
    const all = isRun && name === 'part' ? [OUTPUT, LOGS, RECORD] : []
    const parts = all.filter((each) => each.startsWith(value))
    const ids = isRun && name === 'id' && caller.isOwner ? await findRunIds(caller, value) : []
    const values = [...parts, ...ids]
    return { completion: { values, total: values.length, hasMore: ids.length === MAX_VALUES } }
  })
}

async function findRunIds({ runtime }: ToolCaller, prefix: string): Promise<string[]> {
  return await (await runtime.runs()).find(prefix, MAX_VALUES)
}
