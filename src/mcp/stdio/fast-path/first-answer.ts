import { PROTOCOL_PROMPT } from '../../../core/skill-context/prompt/protocol-prompt.ts'
import { GUIDE_PROMPT, USE_SKILL_PROMPT } from '../../prompts/prompt-listings.ts'
import {
  CAPABILITIES,
  LEGACY_CAPABILITIES,
  STATIC_TTL_MS,
  SERVER_NAME,
  SERVER_TITLE,
} from '../../server-info.ts'

/** Protocol revisions with an initialize handshake, newest first. */
export const LEGACY_VERSIONS = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
]
/** Protocol revisions in which every request names its revision. */
export const MODERN_VERSIONS = ['2026-07-28']

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** Data for the responses. */
export interface FirstRequestFacts {
  /** Version of this package. */
  version: string
  /** True if the tools are those that the recommended system prompt describes. */
  hasGuide: boolean
  /** The offered tools; undefined if they are not known yet. */
  tools: () => readonly object[] | undefined
}

type RequestParams = Readonly<Record<string, unknown>>

/**
 * Answers a client's first request before the SDK and the configuration are loaded. Undefined for
 * every request whose response depends on them.
 *
 * General path: the SDK over `makeServer` in mcp/make-server.ts.
 * Differential test: test/mcp/fast-path/first-answer.test.ts
 */
export function answerFirstRequest(
  message: Readonly<Record<string, unknown>>,
  facts: FirstRequestFacts,
): object | undefined {
  const { id, method } = message
  if (id === undefined) return undefined
  const params = asRecord(message['params'])
  if (method === 'initialize') return facts.hasGuide ? answerInitialize(params, facts) : undefined
  if (isPlainModernRequest(params)) {
    if (method === 'server/discover') return facts.hasGuide ? answerDiscover(facts) : undefined
    const result = answerList(method, { ...facts, tools: () => removeTaskSupport(facts.tools()) })
    return result && { ...result, ...buildStaticFields(facts) }
  }
  // Older revisions allow these requests before the handshake.
  if (Object.keys(params).length > 0) return undefined
  return method === 'ping' ? {} : answerList(method, facts)
}

/** The newest revision has no tasks. */
function removeTaskSupport(tools: readonly object[] | undefined): readonly object[] | undefined {
  return tools?.map((tool) => {
    if (!('execution' in tool)) return tool
    const { execution: _, ...rest } = tool
    return rest
  })
}

function answerList(method: unknown, { tools }: FirstRequestFacts): object | undefined {
  if (method === 'prompts/list') return { prompts: [GUIDE_PROMPT, USE_SKILL_PROMPT] }
  const all = method === 'tools/list' ? tools() : undefined
  return all && { tools: all }
}

function answerInitialize(
  params: RequestParams,
  { version }: FirstRequestFacts,
): object | undefined {
  const { protocolVersion, clientInfo, capabilities, ...rest } = params
  // Anything unusual is left to the SDK.
  if (typeof protocolVersion !== 'string' || Object.keys(rest).length > 0) return undefined
  if (!isPlainInfo(clientInfo) || !isPlainCapabilities(capabilities)) return undefined
  const isKnown = LEGACY_VERSIONS.includes(protocolVersion)
  return {
    protocolVersion: isKnown ? protocolVersion : LEGACY_VERSIONS[0],
    capabilities: LEGACY_CAPABILITIES,
    serverInfo: { name: SERVER_NAME, title: SERVER_TITLE, version },
    instructions: PROTOCOL_PROMPT,
  }
}

function answerDiscover(facts: FirstRequestFacts): object {
  return {
    supportedVersions: MODERN_VERSIONS,
    capabilities: CAPABILITIES,
    instructions: PROTOCOL_PROMPT,
    ...buildStaticFields(facts),
  }
}

/** Fields of every cacheable result in newer revisions. */
function buildStaticFields({ version }: FirstRequestFacts): object {
  return {
    resultType: 'complete',
    ttlMs: STATIC_TTL_MS,
    cacheScope: 'private',
    _meta: {
      'io.modelcontextprotocol/serverInfo': { name: SERVER_NAME, title: SERVER_TITLE, version },
    },
  }
}

/**
 * True if the parameters contain nothing but the metadata of a newer revision. Anything unusual is
 * left to the SDK.
 */
function isPlainModernRequest(params: RequestParams): boolean {
  const meta = asRecord(params['_meta'])
  return (
    Object.keys(params).length === 1 &&
    Object.keys(meta).length === 3 &&
    MODERN_VERSIONS.includes(meta[VERSION_KEY] as string) &&
    isPlainInfo(meta['io.modelcontextprotocol/clientInfo']) &&
    isPlainCapabilities(meta['io.modelcontextprotocol/clientCapabilities'])
  )
}

/** True for a name, a version and other strings. */
function isPlainInfo(value: unknown): boolean {
  const info = asRecord(value)
  const { name, version } = info
  if (typeof name !== 'string' || typeof version !== 'string') return false
  return Object.values(info).every((each) => typeof each === 'string')
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonRecord(value) ? value : {}
}

function isJsonRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for nested objects with the boolean options that the protocol defines. */
function isPlainCapabilities(value: unknown): boolean {
  if (!isJsonRecord(value)) return false
  return Object.entries(value).every(([name, each]) => {
    if (FREE_FORM.has(name)) return isJsonRecord(each) && Object.values(each).every(isJsonRecord)
    return SWITCHES.has(name) ? typeof each === 'boolean' : isPlainCapabilities(each)
  })
}

const SWITCHES = new Set(['listChanged', 'applyDefaults'])
/** The protocol does not define the members below these names. */
const FREE_FORM = new Set(['extensions', 'experimental'])
