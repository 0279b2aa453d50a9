import { PROTOCOL_INSTRUCTIONS } from '../instructions.ts'
import { CAPABILITIES, FIXED_MS, SERVER_NAME, SERVER_TITLE } from '../server-info.ts'

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

/**
 * The answer to what a client of the protocol's own tools asks first, which depends on nothing that has to be loaded: it has it
 * before the rest of the server is there. Undefined for everything else. It is what the SDK answers.
 */
export function firstAnswer(
  message: Readonly<Record<string, unknown>>,
  version: string,
): object | undefined {
  const { id, method } = message
  if (id === undefined) return undefined
  const params = objectOf(message['params'])
  if (method === 'initialize') return initialize(params, version)
  if (method === 'server/discover') return discover(params, version)
  return undefined
}

function initialize(
  params: Readonly<Record<string, unknown>>,
  version: string,
): object | undefined {
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

function discover(params: Readonly<Record<string, unknown>>, version: string): object | undefined {
  const meta = objectOf(params['_meta'])
  const isGood =
    MODERN_VERSIONS.includes(meta[VERSION_KEY] as string) && Object.keys(params).length === 1
  const info = objectOf(meta['io.modelcontextprotocol/clientInfo'])
  if (!isGood || typeof info['name'] !== 'string' || typeof info['version'] !== 'string')
    return undefined
  if (!isEmptyish(meta['io.modelcontextprotocol/clientCapabilities'])) return undefined
  return {
    supportedVersions: MODERN_VERSIONS,
    capabilities: CAPABILITIES,
    instructions: PROTOCOL_INSTRUCTIONS,
    resultType: 'complete',
    ttlMs: FIXED_MS,
    cacheScope: 'private',
    _meta: {
      'io.modelcontextprotocol/serverInfo': { name: SERVER_NAME, title: SERVER_TITLE, version },
    },
  }
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
