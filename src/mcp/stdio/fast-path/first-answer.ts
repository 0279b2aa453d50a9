import { GUIDE_PROMPT } from '../../guide-prompt.ts'
import { PROTOCOL_INSTRUCTIONS } from '../../instructions.ts'
import { CAPABILITIES, FIXED_MS, SERVER_NAME, SERVER_TITLE } from '../../server-info.ts'

/** Revisions that begin with a handshake, the newest first. */
export const LEGACY_VERSIONS = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]
/** Revisions in which every request says which one it is of. */
export const MODERN_VERSIONS = ['2026-07-28']

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** What the answers are made of. */
export interface FirstFacts {
  /** Of this package. */
  version: string
  /** Whether the tools are those that the recommended system prompt speaks of. */
  hasGuide: boolean
  /** The tools on offer; undefined where they are not known yet. */
  tools: () => readonly object[] | undefined
}

type Params = Readonly<Record<string, unknown>>

/**
 * Answers a client's first request before the SDK and the configuration are loaded. Undefined for every
 * request whose answer depends on them.
 *
 * General way: the SDK over `makeServer` in mcp/make-server.ts.
 * Differential test: test/mcp/fast-path/first-answer.test.ts
 */
export function firstAnswer(
  message: Readonly<Record<string, unknown>>,
  facts: FirstFacts,
): object | undefined {
  const { id, method } = message
  if (id === undefined) return undefined
  const params = objectOf(message['params'])
  if (method === 'initialize') return facts.hasGuide ? initialize(params, facts) : undefined
  if (isPlainModern(params)) {
    if (method === 'server/discover') return facts.hasGuide ? discover(facts) : undefined
    const result = listed(method, facts)
    return result && { ...result, ...fixedResult(facts) }
  }
  // The older protocol knows these before a handshake, too.
  if (Object.keys(params).length > 0) return undefined
  return method === 'ping' ? {} : listed(method, facts)
}

function listed(method: unknown, { tools }: FirstFacts): object | undefined {
  if (method === 'prompts/list') return { prompts: [GUIDE_PROMPT] }
  const all = method === 'tools/list' ? tools() : undefined
  return all && { tools: all }
}

function initialize(params: Params, { version }: FirstFacts): object | undefined {
  const { protocolVersion, clientInfo, capabilities } = params
  const { name, version: theirs } = objectOf(clientInfo)
  const isGood =
    typeof protocolVersion === 'string' && typeof name === 'string' && typeof theirs === 'string'
  // Anything unusual is for the SDK to judge.
  if (!isGood || !isEmptyish(capabilities) || objectOf(params['_meta'])[VERSION_KEY])
    return undefined
  const isKnown = LEGACY_VERSIONS.includes(protocolVersion)
  return {
    protocolVersion: isKnown ? protocolVersion : LEGACY_VERSIONS[0],
    capabilities: CAPABILITIES,
    serverInfo: { name: SERVER_NAME, title: SERVER_TITLE, version },
    instructions: PROTOCOL_INSTRUCTIONS,
  }
}

function discover(facts: FirstFacts): object {
  return {
    supportedVersions: MODERN_VERSIONS,
    capabilities: CAPABILITIES,
    instructions: PROTOCOL_INSTRUCTIONS,
    ...fixedResult(facts),
  }
}

/** What every result of the newer protocol says that does not change while a server runs. */
function fixedResult({ version }: FirstFacts): object {
  return {
    resultType: 'complete',
    ttlMs: FIXED_MS,
    cacheScope: 'private',
    _meta: {
      'io.modelcontextprotocol/serverInfo': { name: SERVER_NAME, title: SERVER_TITLE, version },
    },
  }
}

/** Says that it is of the newer protocol, and nothing else. Anything unusual is for the SDK to judge. */
function isPlainModern(params: Params): boolean {
  const meta = objectOf(params['_meta'])
  const info = objectOf(meta['io.modelcontextprotocol/clientInfo'])
  return (
    Object.keys(params).length === 1 &&
    MODERN_VERSIONS.includes(meta[VERSION_KEY] as string) &&
    typeof info['name'] === 'string' &&
    typeof info['version'] === 'string' &&
    isEmptyish(meta['io.modelcontextprotocol/clientCapabilities'])
  )
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Readonly<Record<string, unknown>>) : {}
}

/** An object of objects, as capabilities are. */
function isEmptyish(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.values(value).every((each) => typeof each === 'object' && each !== null)
}
