import { dirname, join, resolve } from 'node:path'
import { resolveUserFile } from '../../core/config/load-config.ts'
import { openArchiveStore, type ArchiveStore } from '../../core/installing/pending/archive-store.ts'
import { openConsentStore, type ConsentStore } from '../../core/installing/machine-consents.ts'
import { openKeyStore, type KeyStore } from '../../core/signing/keys/key-store.ts'
import type { SigstoreRoots } from '../../core/signing/sigstore/open-trusted-root.ts'
import { openTrustStore, type TrustStore } from '../../core/signing/trust/trust-store.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'

/** The user's own keys, next to the user's configuration. */
export function openUserKeys(context: Context): KeyStore {
  return openKeyStore(join(dirname(resolveUserFile(context)), 'keys'))
}

/** The keys of others that the user trusts. */
export function openUserTrust(context: Context): TrustStore {
  return openTrustStore(join(dirname(resolveUserFile(context)), 'trust.json'))
}

/** Digests of skills that the user agreed to install on this machine. */
export function openUserConsents(context: Context): ConsentStore {
  return openConsentStore(join(dirname(resolveUserFile(context)), 'consents'))
}

/** Archives of pending skills, by the digest of their files. */
export function openUserArchives(context: Context): ArchiveStore {
  return openArchiveStore(join(dirname(resolveUserFile(context)), 'archives'))
}

/** Files of `--trusted-root` and of the configuration. */
export function findSigstoreRoots(context: Context, call: CommandLine): SigstoreRoots {
  const named = getTextOption(call, 'trustedRoot')
  return {
    named: named && resolve(context.cwd, named),
    configured: async () => (await openConfig(context)).config.trust.sigstoreRoot,
  }
}
