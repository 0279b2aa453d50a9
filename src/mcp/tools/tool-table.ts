import type { Tool } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { hideCallerResults } from '../../core/methods/caller-results.ts'
import type { Method } from '../../core/methods/method.ts'
import { buildAnnotations, formatTitle } from './annotations.ts'
import { hideCallerParams } from './caller-params.ts'
import { toOutputSchema } from './output-schema.ts'

/** The offered tools; each is described once. */
export interface ToolTable {
  readonly tools: readonly Tool[]
  find(name: string): Method | undefined
}

export function makeToolTable(methods: readonly Method[]): ToolTable {
  const byName = new Map(methods.map((method) => [method.name, method]))
  let tools: readonly Tool[] | undefined
  return {
    get tools() {
      return (tools ??= methods.map(describeTool))
    },
    find: (name) => byName.get(name),
  }
}

function describeTool(method: Method): Tool {
  return {
    name: method.name,
    title: formatTitle(method.name),
    description: method.description,
    inputSchema: hideCallerParams(method, toToolSchema(method.params, 'input')) as never,
    outputSchema: toOutputSchema(hideCallerResults(method, toToolSchema(method.result, 'output'))),
    annotations: buildAnnotations(method),
  }
}

function toToolSchema(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' })
}
