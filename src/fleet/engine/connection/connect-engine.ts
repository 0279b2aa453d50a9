import { SkillsError } from '../../../errors.ts'
import { engineAwayError, noJetStreamError } from '../errors.ts'
import { loadClient, type EngineClient, type EngineConnection } from './load-client.ts'
import { checkServers, type EngineAddress } from './server-address.ts'

interface ConnectOptions extends EngineAddress {
  /** Name of the node, which the engine lists. */
  name: string
}

export interface OpenConnection {
  client: EngineClient
  connection: EngineConnection
  /** Prefix of the subjects of answers, which the permissions of a key allow. */
  inboxPrefix: string | undefined
}

/** Time between two tries to connect again. */
const RECONNECT_MS = 200

/** Connects until the connection is closed. Throws `fleet/unavailable` if the engine cannot be reached or has no JetStream. */
export async function connectEngine(options: ConnectOptions): Promise<OpenConnection> {
  const address = await checkServers(options)
  const client = await loadClient()
  const key = address.seed && useKey(client, address.seed, options.seedFile)
  try {
    const connection = await client.connect({
      servers: [...address.servers],
      name: options.name,
      ...(address.tls && { tls: address.tls }),
      ...key,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      reconnectJitter: 50,
      pingInterval: 1000,
      maxPingOut: 2,
      ignoreClusterUpdates: false,
      noAsyncTraces: true,
      timeout: 5000,
    })
    if (connection.info?.jetstream !== true) {
      await connection.close()
      throw noJetStreamError(options.servers)
    }
    return { client, connection, inboxPrefix: key?.inboxPrefix }
  } catch (cause) {
    if (cause instanceof SkillsError) throw cause
    if (cause instanceof client.AuthorizationError) throw unauthorizedError(options.servers, cause)
    if (isCertificateError(cause)) throw certificateError(options.servers, cause)
    throw engineAwayError(options.servers, cause)
  }
}

/** Each key has an inbox of its own, so that permissions can keep answers from other nodes. */
function useKey(
  { nkeys, nkeyAuthenticator }: EngineClient,
  seed: Uint8Array,
  seedFile: string | undefined,
) {
  try {
    const publicKey = nkeys.fromSeed(seed).getPublicKey()
    return { authenticator: nkeyAuthenticator(seed), inboxPrefix: `_INBOX.${publicKey}` }
  } catch (cause) {
    throw new SkillsError('config/invalid', `The file "${seedFile}" has no valid seed of a key`, {
      hint: 'Check the setting fleet.seed: a seed is one line that begins with SU',
      cause,
    })
  }
}

function unauthorizedError(servers: string, cause: unknown): SkillsError {
  return new SkillsError('auth/required', `The engine at "${servers}" does not accept this node`, {
    hint: 'Set fleet.seed to the file with the seed of a key that the engine knows',
    cause,
  })
}

/** Codes of OpenSSL and of Node for certificates that are not accepted. */
const CODE =
  /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_|SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY|GET_ISSUER)|HOSTNAME_MISMATCH)/

/** True if an error, or a cause of it, says that the certificate of the engine is not accepted. */
function isCertificateError(error: unknown): boolean {
  return findCertificateCode(error) !== undefined
}

function certificateError(servers: string, cause: unknown): SkillsError {
  const code = findCertificateCode(cause) ?? ''
  return new SkillsError(
    'fleet/unavailable',
    `The certificate of the engine at "${servers}" is not accepted: ${describeCode(code)}`,
    { hint: 'Set fleet.ca to the file with the certificate that signed it', cause },
  )
}

function findCertificateCode(error: unknown): string | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const { code } = each as NodeJS.ErrnoException
    if (typeof code === 'string' && CODE.test(code)) return code
  }
  return undefined
}

function describeCode(code: string): string {
  if (code === 'CERT_HAS_EXPIRED') return 'it has expired'
  if (code.includes('ALTNAME') || code.includes('HOSTNAME')) return 'it is for another host name'
  return 'no known authority signed it'
}
