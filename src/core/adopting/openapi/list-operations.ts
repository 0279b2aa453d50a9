import { cleanText } from '../script-interface.ts'
import type { AdoptedInput } from '../to-inputs.ts'
import { type ApiArgument, type ApiInput, readBody, readParameter } from './parameters.ts'
import { type ApiObject, resolveRef, toList, toObject, toText } from './read-document.ts'
import { type ApiCredential, readSecurity } from './security.ts'
import { readServer } from './server-url.ts'

interface ApiCommand {
  name: string
  method: string
  /** Address before the path, without a final slash. */
  server: string
  path: string
  credentials: readonly ApiCredential[]
  needsCredentials: boolean
  arguments: readonly ApiArgument[]
}

export interface ApiOperation {
  command: ApiCommand
  summary: string
  place: string
  inputs: readonly AdoptedInput[]
}

export interface OperationFilter {
  operations: readonly string[]
  tags: readonly string[]
  /** Replaces the server of the document. */
  server: string | undefined
  /** Prefix of secrets. */
  prefix: string
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const

/** The operations of a document that a program can call, and the reasons for others. */
export function listOperations(document: ApiObject, filter: OperationFilter) {
  const operations: ApiOperation[] = []
  const skipped: string[] = []
  const names = new Set<string>()
  for (const [path, written] of Object.entries(toObject(document['paths']))) {
    const item = resolveRef(document, written)
    for (const method of METHODS) {
      if (item[method] === undefined) continue
      const operation = toObject(item[method])
      const name = createOperationName(operation, method, path)
      if (!isSelected(operation, name, filter)) continue
      const found = names.has(name)
        ? 'another operation has the same name'
        : readOperation(document, { item, operation, method, path, name, filter })
      names.add(name)
      if (typeof found === 'string')
        skipped.push(cleanText(`${method.toUpperCase()} ${path} is left out: ${found}`, 300))
      else operations.push(found)
    }
  }
  return { operations, skipped }
}

/** Names of all operations, and of all tags, in the order of the document. */
export function listSelectors(document: ApiObject): { operations: string[]; tags: string[] } {
  const operations = new Set<string>()
  const tags = new Set<string>()
  for (const [path, written] of Object.entries(toObject(document['paths']))) {
    const item = resolveRef(document, written)
    for (const method of METHODS.filter((each) => item[each] !== undefined)) {
      const operation = toObject(item[method])
      operations.add(createOperationName(operation, method, path))
      if (toText(operation['operationId']) !== '') operations.add(toText(operation['operationId']))
      for (const tag of toList(operation['tags'])) tags.add(toText(tag))
    }
  }
  return { operations: [...operations], tags: [...tags].filter((tag) => tag !== '') }
}

function isSelected(
  operation: ApiObject,
  name: string,
  { operations, tags }: OperationFilter,
): boolean {
  if (operations.length === 0 && tags.length === 0) return true
  const own = toList(operation['tags'])
  return (
    operations.includes(name) ||
    operations.includes(toText(operation['operationId'])) ||
    tags.some((tag) => own.includes(tag))
  )
}

/** The operation's id, without characters that a model or a shell would have to quote. */
function createOperationName(operation: ApiObject, method: string, path: string): string {
  const written = toText(operation['operationId']) || `${method}_${path}`
  return (
    written
      .slice(0, 200)
      .replace(/[^\w.-]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .slice(0, 80) || method
  )
}

interface WrittenOperation {
  item: ApiObject
  operation: ApiObject
  method: string
  path: string
  name: string
  filter: OperationFilter
}

function readOperation(document: ApiObject, written: WrittenOperation): ApiOperation | string {
  const { item, operation, method, path, name, filter } = written
  const place = `${method.toUpperCase()} ${path}`
  if (!path.startsWith('/') || /[\u0000-\u0020?#\\\u007f]/.test(path))
    return 'its path is not valid'
  const server =
    filter.server ?? readServer(operation['servers'] ?? item['servers'] ?? document['servers'])
  if (server === undefined) return 'its server is not an absolute address; name one with --server'
  const security = readSecurity(document, operation, filter.prefix)
  if (!security) return 'its security scheme cannot be used by a program'
  const found = readInputs(document, written, place)
  if (typeof found === 'string') return found
  const missing = [...path.matchAll(/\{([^{}]*)\}/g)].find(
    ([, each]) => !found.some(({ argument }) => argument.in === 'path' && argument.name === each),
  )
  if (missing) return `its path has "${missing[0]}", which no parameter describes`
  return {
    command: {
      name,
      method: method.toUpperCase(),
      server,
      path,
      credentials: security.credentials,
      needsCredentials: security.required,
      arguments: found.map(({ argument }) => argument),
    },
    summary: cleanText(toText(operation['summary']) || toText(operation['description']), 200),
    place,
    inputs: found.map(({ input }) => input),
  }
}

/** Parameters of the path apply unless the operation has one of the same name and place. */
function readInputs(
  document: ApiObject,
  { item, operation }: WrittenOperation,
  place: string,
): ApiInput[] | string {
  const byKey = new Map<string, unknown>()
  for (const each of [...toList(item['parameters']), ...toList(operation['parameters'])]) {
    const { name, in: at } = resolveRef(document, each)
    byKey.set(JSON.stringify([name, at]), each)
  }
  const found = [...byKey.values()].map((each) => readParameter(document, each, place))
  found.push(readBody(document, operation['requestBody'], place))
  const reason = found.find((each) => typeof each === 'string')
  if (typeof reason === 'string') return reason
  const inputs = found.filter((each) => typeof each === 'object')
  const names = new Set(inputs.map(({ input }) => input.name))
  return names.size === inputs.length ? inputs : 'two of its parameters have the same name'
}
