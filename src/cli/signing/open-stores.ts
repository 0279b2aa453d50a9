import { dirname, join } from 'node:path'
import { resolveUserFile } from '../../core/config/load-config.ts'
import { openKeyStore, type KeyStore } from '../../core/signing/keys/key-store.ts'
import { openTrustStore, type TrustStore } from '../../core/signing/trust/trust-store.ts'
import type { Context } from '../context.ts'

/** The user's own keys, next to the user's configuration. */
export function openUserKeys(context: Context): KeyStore {
  return openKeyStore(join(dirname(resolveUserFile(context)), 'keys'))
}

/** The keys of others that the user trusts. */
export function openUserTrust(context: Context): TrustStore {
  return openTrustStore(join(dirname(resolveUserFile(context)), 'trust.json'))
}
