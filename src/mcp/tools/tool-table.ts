import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { simplifySchema, type JsonSchema } from '../../core/tool-formats/plain-schema.ts'
import { hideCallerResults } from '../../core/tool-formats/caller-results.ts'
import type { Method } from '../../core/methods/method.ts'
import { describeTool, type CommandRules } from '../../core/skill-context/prompt/command-rules.ts'
import { supportsTasks } from '../tasks/task-methods.ts'
import { hideCallerParams } from './caller-params.ts'
import { toOutputSchema } from './output-schema.ts'

/** The offered tools; each is described once. */
export interface ToolTable {
  readonly tools: readonly Tool[]
  readonly names: ReadonlySet<string>
  find(name: string): Method | undefined
}

/** `rules` are those of the operator for commands. */
export function makeToolTable(methods: readonly Method[], rules?: CommandRules): ToolTable {
  const byName = new Map(methods.map((method) => [method.name, method]))
  const offered = new Set(byName.keys())
  let tools: readonly Tool[] | undefined
  return {
    get tools() {
      return (tools ??= methods.map((method) => buildTool(method, offered, rules)))
    },
    names: offered,
    find: (name) => byName.get(name),
  }
}

function buildTool(
  method: Method,
  offered: ReadonlySet<string>,
  rules: CommandRules | undefined,
): Tool {
  return {
    name: method.name,
    title: formatTitle(method.name),
    description: describeTool(method, rules),
    inputSchema: hideCallerParams(method, toToolSchema(method.params, 'input'), offered) as never,
    outputSchema: toOutputSchema(hideCallerResults(method, toToolSchema(method.result, 'output'))),
    annotations: buildAnnotations(method),
    ...(supportsTasks(method) && { execution: { taskSupport: 'optional' as const } }),
  }
}

function toToolSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return simplifySchema(z.toJSONSchema(schema, { io, unrepresentable: 'any' }))
}

/** Worst-case effects of a tool, as hints for clients that ask the user for approval. */
function buildAnnotations({ name, effect }: Method): ToolAnnotations {
  const title = formatTitle(name)
  if (effect === 'read') {
    return { title, readOnlyHint: true, idempotentHint: true, openWorldHint: false }
  }
  const isAdding = effect === 'create'
  return {
    title,
    readOnlyHint: false,
    destructiveHint: !isAdding,
    idempotentHint: false,
    // Code runs in a sandbox and may access hosts that its skill declares and the operator allows.
    openWorldHint: !isAdding && effect !== 'change',
  }
}

/** Formats `run_code` as "Run code". */
function formatTitle(name: string): string {
  const words = name.replaceAll(/[._]+/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2')
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase()
}
