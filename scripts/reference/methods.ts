import { z } from 'zod'
import { METHODS } from '../../src/core/methods/index.ts'
import type { Effect, Method } from '../../src/core/methods/method.ts'
import { anchor } from './anchor.ts'
import { propertyTable, type JsonSchema } from './json-schema.ts'
import { code, list, renderPage, sentence, table } from './markdown.ts'

const EFFECTS: Readonly<Record<Effect, string>> = {
  read: 'Changes nothing',
  create: 'Adds data, and neither changes nor removes any',
  change: 'Changes data',
  run: 'Starts a run',
  control: 'Acts on a run that has started',
}

/** methods.md: every JSON-RPC method with its schemas and its row of the table of methods. */
export function renderMethods(): string {
  const index = METHODS.map(({ name, scope, effect, profiles = [] }) => [
    `[${code(name)}](#${anchor(name)})`,
    scope,
    effect,
    profiles.map(code).join(', '),
  ])
  return renderPage('JSON-RPC methods', [
    'Methods of `POST /rpc`. The same operations are functions of the library and tools of MCP. `rpc.discover` answers with the OpenRPC document of these methods.',
    table(['Method', 'Scope', 'Effect', 'Profiles'], index),
    list([
      '**Scope**: what the token of the caller must allow.',
      '**Effect**: what a call does.',
      '**Profiles**: the sets of tools that offer the method to an agent.',
    ]),
    table(
      ['Effect', 'Meaning'],
      Object.entries(EFFECTS).map(([effect, meaning]) => [code(effect), sentence(meaning)]),
    ),
    ...METHODS.flatMap(renderMethod),
  ])
}

function renderMethod(method: Method): string[] {
  const { aliases, profiles, requires } = method
  const facts = list([
    `Scope: ${code(method.scope)}`,
    `Effect: ${code(method.effect)}`,
    `Profiles: ${profiles ? profiles.map(code).join(', ') : 'none'}`,
    requires && `Needs the tool: [${code(requires)}](#${anchor(requires)})`,
    aliases && `Other names: ${aliases.map(code).join(', ')}`,
    describeSpellings(method),
    method.callerParams &&
      `Given by the client, not by a model: ${method.callerParams.map(code).join(', ')}`,
  ])
  return [
    `## ${method.name}`,
    sentence(method.description),
    facts,
    '**Parameters**',
    propertyTable(toJsonSchema(method.params, 'input')) || 'None.',
    '**Result**',
    propertyTable(toJsonSchema(method.result, 'output')) || 'An object.',
  ]
}

function describeSpellings({ spellings }: Method): string | undefined {
  const pairs = Object.entries(spellings ?? {})
  if (pairs.length === 0) return undefined
  const shown = pairs.map(([other, name]) => `${code(other)} for ${code(name)}`)
  return `Other names of parameters: ${shown.join(', ')}`
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema
}
