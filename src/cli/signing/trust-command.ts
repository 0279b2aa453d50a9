import type { CheckedAttestation } from '../../core/signing/verify/check-attestation.ts'
import { parseIdentityPattern, parseIssuer } from '../../core/signing/trust/identity.ts'
import { isTrustedKey } from '../../core/signing/trust/trust-list.ts'
import { SkillsError } from '../../errors.ts'
import { quoteShellWord } from '../../util/shell-word.ts'

/**
 * The command that makes an attestation count. Undefined if no entry for named sources could cover
 * it: a command that trusts a stranger for everything must not be one to copy.
 */
export function formatTrustCommand(attestation: CheckedAttestation): string | undefined {
  const { state, signer, sources = [] } = attestation
  if (state !== 'untrusted' && state !== 'source') return undefined
  const named = sources.filter((source) => source !== undefined)
  if (named.length === 0 || named.length < sources.length) return undefined
  const options = named.flatMap((source) => ['--source', quoteShellWord(source)])
  if (signer && isTrustedKey(signer)) return undefined
  const entry = signer ?? suggestEntry(attestation.certificate, named)
  if (!entry) return undefined
  const { name, identity, issuer } = entry
  options.push('--identity', quoteShellWord(identity), '--issuer', quoteShellWord(issuer))
  return `skills keys trust --name ${name} ${options.join(' ')}`
}

function suggestEntry(
  certificate: CheckedAttestation['certificate'],
  sources: readonly string[],
): { name: string; identity: string; issuer: string } | undefined {
  if (!certificate) return undefined
  const { identity, issuer } = certificate
  try {
    return {
      name: suggestName(sources),
      identity: parseIdentityPattern(identity.replace(/@refs\/tags\/.*$/s, '@refs/tags/*')),
      issuer: parseIssuer(issuer),
    }
  } catch (thrown) {
    if (thrown instanceof SkillsError) return undefined
    throw thrown
  }
}

function suggestName(sources: readonly string[]): string {
  const repository = sources.find((source) => /^git(?:hub|lab):/.test(source)) ?? sources[0]
  const words = repository?.replace(/^[a-z]+:/, '').match(/[a-z0-9]+/g) ?? []
  return words.slice(0, 4).join('-').slice(0, 40) || 'publisher'
}
