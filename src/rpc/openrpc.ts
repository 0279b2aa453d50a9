import { z } from 'zod'
import type { Method } from '../core/methods/method.ts'
import { RPC_ERRORS } from '../errors.ts'

type JsonSchema = Record<string, unknown>

/** The OpenRPC document of these methods, made from their schemas. */
export function describeApi(methods: readonly Method[]): JsonSchema {
  return {
    openrpc: '1.3.2',
    info: {
      title: 'Skills Protocol',
      version: '0.1.0',
      description: 'Skills and blobs for LLM agents, with sandboxed runs.',
    },
    methods: [...methods.flatMap(describeNames), DISCOVER],
  }
}

/** A method under each of its names. */
function describeNames(method: Method): JsonSchema[] {
  const described = describeMethod(method)
  return [method.name, ...(method.aliases ?? [])].map((name) => ({ ...described, name }))
}

function describeMethod(method: Method): JsonSchema {
  const schema = schemaOf(method.params, 'input')
  const required = new Set(schema['required'] as string[] | undefined)
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)
  // OpenRPC wants what must be given before what may be given.
  const params = properties
    .map(([name, each]) => describeParam(name, each, required.has(name)))
    .sort((a, b) => Number(b['required']) - Number(a['required']))
  return {
    name: method.name,
    summary: method.description.split('. ')[0]?.replace(/\.$/, ''),
    description: method.description,
    paramStructure: 'by-name',
    params,
    result: { name: `${method.name}_result`, schema: schemaOf(method.result, 'output') },
    errors: RPC_ERRORS,
  }
}

function describeParam(name: string, schema: JsonSchema, required: boolean): JsonSchema {
  const { description, ...rest } = schema
  return { name, ...(description === undefined ? {} : { description }), required, schema: rest }
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

const DISCOVER: JsonSchema = {
  name: 'rpc.discover',
  summary: 'This document',
  params: [],
  result: { name: 'OpenRPC', schema: { type: 'object' } },
}
