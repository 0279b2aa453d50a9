import { SkillsError } from '../../../errors.ts'
import type { TrustedIdentity, TrustedSigner } from './trust-list.ts'

/** Identity of a certificate that is valid. */
export interface CertificateIdentity {
  /** Subject alternative name: the address of a workflow or of a person. */
  identity: string
  issuer: string
  /** Address of the repository whose workflow got the certificate, by its issuer. */
  repository?: string
}

const MAX_LENGTH = 1000
const PRINTABLE = /^[!-~]+$/

/** Checks a pattern of identities: `*` stands for the rest after `/` or `@`, below a host. */
export function parseIdentityPattern(text: string): string {
  const base = text.replace(/(?<=[/@])\*$/, '')
  const isValid =
    text.length <= MAX_LENGTH && PRINTABLE.test(text) && !base.includes('*') && base !== ''
  const isBelowHost = base === text || /^https:\/\/[^/]+\/[^/]+[/@]/.test(base)
  if (isValid && isBelowHost) return text
  throw new SkillsError('usage/invalid', `"${text}" is not an identity of a certificate`, {
    hint: 'Write it as "https://github.com/owner/repo/.github/workflows/release.yml@*"',
  })
}

export function parseIssuer(text: string): string {
  if (URL.canParse(text) && text.startsWith('https://') && text.length <= MAX_LENGTH) return text
  throw new SkillsError('usage/invalid', `"${text}" is not the issuer of an identity`, {
    hint: 'For workflows of GitHub, it is "https://token.actions.githubusercontent.com"',
  })
}

/** The id of an identity in the trust list. */
export function formatIdentityId({ identity, issuer }: CertificateIdentity): string {
  return `${issuer} ${identity}`
}

/** Entries of the trust list that name the identity of a certificate, by the same issuer. */
export function findIdentities(
  signers: readonly TrustedSigner[],
  { identity, issuer }: CertificateIdentity,
): TrustedIdentity[] {
  return signers.filter(
    (each): each is TrustedIdentity =>
      'identity' in each && each.issuer === issuer && matchesIdentity(each.identity, identity),
  )
}

function matchesIdentity(pattern: string, identity: string): boolean {
  if (!pattern.endsWith('*')) return identity === pattern
  return identity.startsWith(pattern.slice(0, -1)) && !identity.split('/').includes('..')
}
