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
  const { protocolVersion, clientInfo, capabilities, ...rest } = params
  // Anything unusual is for the SDK to judge.
  if (typeof protocolVersion !== 'string' || Object.keys(rest).length > 0) return undefined
  if (!isPlainInfo(clientInfo) || !isPlainCapabilities(capabilities)) return undefined
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
  return (
    Object.keys(params).length === 1 &&
    Object.keys(meta).length === 3 &&
    MODERN_VERSIONS.includes(meta[VERSION_KEY] as string) &&
    isPlainInfo(meta['io.modelcontextprotocol/clientInfo']) &&
    isPlainCapabilities(meta['io.modelcontextprotocol/clientCapabilities'])
  )
}

/** A client's name and version, and other texts. */
function isPlainInfo(value: unknown): boolean {
  const info = objectOf(value)
  const { name, version } = info
  if (typeof name !== 'string' || typeof version !== 'string') return false
  return Object.values(info).every((each) => typeof each === 'string')
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {}
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Objects in objects, with switches of the names that the protocol knows. */
function isPlainCapabilities(value: unknown): boolean {
  if (!isObject(value)) return false
  return Object.entries(value).every(([name, each]) => {
    if (OPEN.has(name)) return isObject(each) && Object.values(each).every(isObject)
    return SWITCHES.has(name) ? typeof each === 'boolean' : isPlainCapabilities(each)
  })
}

const SWITCHES = new Set(['listChanged', 'applyDefaults'])
/** What is below each name of these is nobody's schema. */
const OPEN = new Set(['extensions', 'experimental'])
