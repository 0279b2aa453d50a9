import type { ReadableCredentials, RegistryCredentials } from '../credentials/credentials.ts'
import { formatAuthorization, isToken } from '../credentials/credentials.ts'
import { isPublicSuffix } from '../../skills/manifest/public-suffix.ts'
import type { RegistryConnection } from '../http/registry-connection.ts'
import { registryError } from '../http/registry-error.ts'

export type OciAction = 'pull' | 'pull,push' | 'delete'

export interface AuthenticationRequest {
  /** Value of WWW-Authenticate. */
  challenge: string
  repository: string
  action: OciAction
  credentials: RegistryCredentials | undefined
}

const MAX_TOKEN_BYTES = 64 * 1024
const PARAMETER = /([a-z_]+)="([^"\\]*)"/gi

/** Answers a challenge, and returns the header for the next attempt. */
export async function authenticate(
  connection: RegistryConnection,
  request: AuthenticationRequest,
): Promise<string> {
  const { challenge, action, credentials } = request
  if (credentials?.type === 'unusable') {
    // Public content is readable with the token that everyone gets.
    const isPublic = action === 'pull' && !/^basic\b/i.test(challenge)
    if (!isPublic) throw missingCredentials(connection, credentials.reason)
    return await authenticate(connection, { ...request, credentials: undefined })
  }
  if (/^basic\b/i.test(challenge)) {
    if (!credentials) throw missingCredentials(connection, 'it needs a user name and a password')
    return formatAuthorization(credentials)
  }
  // The registry itself checks a token, and no realm may see it.
  if (credentials?.type === 'token') return formatAuthorization(credentials)
  const url = parseRealm(request)
  if (!url) throw registryError(connection.base, 'it asks for credentials in an unknown way')
  return await fetchToken(connection, url, credentials)
}

async function fetchToken(
  connection: RegistryConnection,
  url: URL,
  credentials: ReadableCredentials | undefined,
): Promise<string> {
  if (credentials) checkRealm(connection, url)
  const headers = credentials && { authorization: formatAuthorization(credentials) }
  const { status, body } = await connection.send({
    url,
    ...(headers && { headers }),
    maxBytes: MAX_TOKEN_BYTES,
  })
  if (status !== 200) throw missingCredentials(connection, `its realm answered with ${status}`)
  return `Bearer ${parseToken(connection, body)}`
}

/** The address that gives tokens, by a challenge of the scheme Bearer. */
function parseRealm({ challenge, repository, action }: AuthenticationRequest): URL | undefined {
  const found = [...challenge.matchAll(PARAMETER)]
  const parameters = new Map(found.map(([, key = '', value = '']) => [key.toLowerCase(), value]))
  const realm = parameters.get('realm')
  if (!/^bearer\b/i.test(challenge) || realm === undefined || !URL.canParse(realm)) return undefined
  const url = new URL(realm)
  const service = parameters.get('service')
  if (service !== undefined) url.searchParams.set('service', service)
  // The scope of the challenge could be wider than what is needed.
  url.searchParams.set('scope', `repository:${repository}:${action}`)
  return url
}

function parseToken(connection: RegistryConnection, body: Buffer): string {
  let answer: unknown
  try {
    answer = JSON.parse(body.toString('utf8'))
  } catch {
    throw registryError(connection.base, 'the answer of its realm is not JSON')
  }
  const { token, access_token: alternative } = (answer ?? {}) as Record<string, unknown>
  const found = token ?? alternative
  if (typeof found === 'string' && isToken(found)) return found
  throw registryError(connection.base, 'the answer of its realm has no token')
}

/** A password is sent to the registry's own domain only. */
function checkRealm({ base }: RegistryConnection, realm: URL): void {
  if (realm.hostname === base.hostname) return
  const own = findDomain(base.hostname)
  if (own !== undefined && own === findDomain(realm.hostname)) return
  throw registryError(base, `it asks for the password to be sent to "${realm.host}"`, {
    code: 'auth/required',
    hint: 'Get a token from that server, and set SKILLS_REGISTRY and SKILLS_REGISTRY_TOKEN',
  })
}

/** The domain of one owner that a host belongs to; undefined for an address. */
function findDomain(host: string): string | undefined {
  if (!/\.[a-z][a-z0-9-]+$/i.test(host)) return undefined
  const names = host.split('.')
  const domains = names.map((_, at) => names.slice(at).join('.'))
  return domains.findLast((domain) => !isPublicSuffix(domain))
}

function missingCredentials({ base }: RegistryConnection, problem: string) {
  return registryError(base, problem, {
    code: 'auth/required',
    hint: `Type "docker login ${base.host}", or set SKILLS_REGISTRY and SKILLS_REGISTRY_TOKEN`,
  })
}
