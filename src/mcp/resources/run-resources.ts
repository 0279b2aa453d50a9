import {
  ResourceTemplate,
  type McpServer,
  type ReadResourceResult,
} from '@modelcontextprotocol/server'
import type { RunRecord } from '../../core/runs/history/run-record.ts'
import { SkillsError } from '../../errors.ts'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { toReadError } from './read-error.ts'
import { LOGS, MAX_LOG_CHARACTERS, OUTPUT, RECORD, RUN_TEMPLATE } from './run-uri.ts'

/** Stored data of runs: output, logs and record. */
export function addRunResources(server: McpServer, caller: ToolCaller): void {
  server.registerResource(
    'run',
    new ResourceTemplate(RUN_TEMPLATE, { list: undefined }),
    {
      title: 'Run',
      description: `A run of this caller; part is ${OUTPUT}, ${LOGS} or ${RECORD}`,
    },
    async ({ href }, { id, part }) => {
      try {
        return await readRun(caller, href, { id: String(id), part: String(part) })
      } catch (thrown) {
        throw toReadError(caller, href, thrown)
      }
    },
  )
}

async function readRun(
  caller: ToolCaller,
  uri: string,
  { id, part }: { id: string; part: string },
): Promise<ReadResourceResult> {
  const store = await caller.runtime.runs()
  const record = await store.get(id)
  // Reports a run of another caller as not found, so that its existence is hidden.
  if (!caller.isOwner && record.who.caller !== caller.name) throw runNotFoundError(id)
  if (part === LOGS) return toTextResource(uri, 'text/plain', await readLogs(caller, id))
  const value = part === RECORD ? record : part === OUTPUT ? readOutputValue(record) : undefined
  if (value === undefined) throw runNotFoundError(`${id}/${part}`)
  return toTextResource(uri, 'application/json', JSON.stringify(value))
}

function readOutputValue({ output }: RunRecord): unknown {
  return output?.value
}

async function readLogs({ runtime }: ToolCaller, id: string): Promise<string> {
  const { openRunLogs } = await import('../../core/outputs/store/run-logs.ts')
  let text = ''
  let cut = 0
  for await (const chunk of (await openRunLogs(runtime, id)).setEncoding('utf8')) {
    text += chunk as string
    if (text.length <= MAX_LOG_CHARACTERS * 2) continue
    cut += text.length - MAX_LOG_CHARACTERS
    text = text.slice(-MAX_LOG_CHARACTERS)
  }
  cut += Math.max(0, text.length - MAX_LOG_CHARACTERS)
  const end = text.slice(-MAX_LOG_CHARACTERS)
  return cut === 0 ? end : `[${cut} earlier characters are omitted]\n${end}`
}

function toTextResource(uri: string, mimeType: string, text: string): ReadResourceResult {
  return { contents: [{ uri, mimeType, text }] }
}

function runNotFoundError(name: string): SkillsError {
  return new SkillsError('run/not-found', `There is no run "${name.slice(0, 100)}"`)
}
