import type { Verification } from './verify-artifact.ts'
import type { VerificationRequest } from './verification-request.ts'

/** Outcome of a verification in one phrase, which every command prints. Its texts are not printable yet. */
export interface SignatureSummary {
  state: Verification['state']
  text: string
}

const KEY_ID = /^sha256:[0-9a-f]{64}$/

/** `envelopes` are those that were verified. */
export function summarizeSignature(
  verification: Verification,
  envelopes: VerificationRequest['envelopes'],
): SignatureSummary {
  const { state } = verification
  return { state, text: PHRASES[state](verification, envelopes ?? []) }
}

type Envelopes = NonNullable<VerificationRequest['envelopes']>

const PHRASES: Readonly<
  Record<Verification['state'], (verification: Verification, envelopes: Envelopes) => string>
> = {
  verified: (verification) => `signed by ${joinSigners(verification, 'valid')}`,
  unsigned: () => 'not signed',
  untrusted: ({ attestations }, envelopes) =>
    describeStrangers(envelopes) ?? describeAttested(attestations),
  source: (verification) =>
    `signed by ${joinSigners(verification, 'source')}, trusted for other sources only`,
  expired: (verification) =>
    `signed by ${joinSigners(verification, 'expired')}, whose key has expired`,
  revoked: (verification) =>
    `signed by ${joinSigners(verification, 'revoked')}, whose key is revoked`,
  changed: (verification) => `signed by ${joinSigners(verification)}, and changed since`,
  other: ({ subjects }) =>
    `signed for something else: ${subjects.map(({ name }) => name).join(', ')}`,
  threshold: ({ threshold, ...verification }) =>
    `signed by ${joinSigners(verification)}, ${threshold?.reached ?? 0} of ${threshold?.required ?? 1} required keys`,
}

function joinSigners(
  { signers }: Pick<Verification, 'signers'>,
  wanted?: Verification['signers'][number]['state'],
): string {
  const named = signers.filter(({ state }) => wanted === undefined || state === wanted)
  return named.map(({ key }) => key.name).join(', ')
}

/** The id of a key is what the signatures claim: the key itself is not there to check it. */
function describeStrangers(envelopes: Envelopes): string | undefined {
  const ids = envelopes
    .filter(({ sigstore }) => sigstore === undefined)
    .flatMap(({ signatures }) => signatures.map(({ keyId }) => keyId))
  const id = ids.find((each) => each !== undefined && KEY_ID.test(each))
  if (id !== undefined) {
    return `signed by a key that you do not trust (${id}; skills keys trust <key file>)`
  }
  return ids.length > 0 ? 'signed by a key that you do not trust' : undefined
}

function describeAttested(attestations: Verification['attestations']): string {
  const states = new Set(attestations.map(({ state }) => state))
  if (states.has('untrusted')) return 'signed by an identity that you do not trust'
  return states.has('unchecked') ? 'signatures that were not checked' : 'no valid signature'
}
