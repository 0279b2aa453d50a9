import { SkillsError } from '../../../errors.ts'
import { isLoopbackHost } from '../../../util/loopback-host.ts'
import { createIdentityCheck } from './check-identity.ts'
import { readSecretFile, readSettingFile } from './setting-file.ts'

/** Address of the engine, and the key of a node. */
export interface EngineAddress {
  /** Addresses, separated by commas: nats://127.0.0.1:4222. */
  servers: string
  /** File with the seed of the node's key. */
  seedFile?: string | undefined
  /** File with the certificates that sign the engine's. */
  caFile?: string | undefined
}

interface CheckedAddress {
  servers: readonly string[]
  tls: object | undefined
  seed: Uint8Array | undefined
}

const PROTOCOLS = ['nats:', 'tls:']

/** Checks the addresses, and reads the files. Throws if other machines could listen to the connection. */
export async function checkServers({
  servers,
  seedFile,
  caFile,
}: EngineAddress): Promise<CheckedAddress> {
  const urls = servers.split(',').map((text) => parseServer(text.trim()))
  const isEncrypted = urls.some(({ protocol }) => protocol === 'tls:')
  for (const { protocol, hostname, host } of urls) {
    if (protocol === 'nats:' && !isLoopbackHost(hostname)) {
      throw new SkillsError(
        'config/invalid',
        `The connection to the engine at "${host}" would not be encrypted`,
        { hint: `Use tls://${host}, and fleet.ca for a certificate of your own` },
      )
    }
  }
  const ca = caFile === undefined ? undefined : await readSettingFile(caFile, 'fleet.ca')
  const checkServerIdentity = createIdentityCheck(urls.map(({ hostname }) => hostname))
  return {
    servers: urls.map(({ host, protocol }) => `${protocol}//${host}`),
    tls: isEncrypted ? { ...(ca !== undefined && { ca }), checkServerIdentity } : undefined,
    seed:
      seedFile === undefined
        ? undefined
        : new TextEncoder().encode(await readSecretFile(seedFile, 'fleet.seed')),
  }
}

function parseServer(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !PROTOCOLS.includes(url.protocol) || url.hostname === '' || url.pathname.length > 1) {
    throw new SkillsError(
      'config/invalid',
      `Expected the address of an engine such as nats://127.0.0.1:4222, got "${text}"`,
      { hint: 'Separate several addresses with commas' },
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new SkillsError('config/invalid', 'The address of the engine must not contain a secret', {
      hint: 'Set fleet.seed to a file that has the seed of the key of this node',
    })
  }
  return url
}
