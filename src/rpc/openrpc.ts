import { z } from 'zod'
import type { Method } from '../core/methods/method.ts'
import { RPC_ERRORS } from '../errors.ts'

type OpenRpcNode = Record<string, unknown>

/** Generates the OpenRPC document of these methods from their schemas. */
export function buildOpenRpcDocument(methods: readonly Method[]): OpenRpcNode {
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

/** Describes a method under its name and each alias. */
function describeNames(method: Method): OpenRpcNode[] {
  const described = describeMethod(method)
  return [method.name, ...(method.aliases ?? [])].map((name) => ({ ...described, name }))
}

function describeMethod(method: Method): OpenRpcNode {
  const schema = toOpenRpcSchema(method.params, 'input')
  const required = new Set(schema['required'] as string[] | undefined)
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, OpenRpcNode>)
  // OpenRPC requires mandatory parameters before optional ones.
  const params = properties
    .map(([name, each]) => describeParam(name, each, required.has(name)))
    .sort((a, b) => Number(b['required']) - Number(a['required']))
  return {
    name: method.name,
    summary: method.description.split('. ')[0]?.replace(/\.$/, ''),
    description: method.description,
    paramStructure: 'by-name',
    params,
    result: { name: `${method.name}_result`, schema: toOpenRpcSchema(method.result, 'output') },
    errors: RPC_ERRORS,
  }
}

function describeParam(name: string, schema: OpenRpcNode, required: boolean): OpenRpcNode {
  const { description, ...rest } = schema
  return { name, ...(description === undefined ? {} : { description }), required, schema: rest }
}

function toOpenRpcSchema(schema: z.ZodType, io: 'input' | 'output'): OpenRpcNode {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}

const DISCOVER: OpenRpcNode = {
  name: 'rpc.discover',
  summary: 'This document',
  params: [],
  result: { name: 'OpenRPC', schema: { type: 'object' } },
}
