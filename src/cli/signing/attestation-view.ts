import type { Provenance } from '../../core/signing/statement/provenance.ts'
import type { StatementSubject } from '../../core/signing/statement/statement.ts'
import {
  NO_TRUSTED_ROOT,
  type AttestationState,
  type CheckedAttestation,
} from '../../core/signing/verify/check-attestation.ts'
import { parseIdentityPattern, parseIssuer } from '../../core/signing/trust/identity.ts'
import { isTrustedKey } from '../../core/signing/trust/trust-list.ts'
import { SkillsError } from '../../errors.ts'
import { quoteShellWord } from '../../util/shell-word.ts'

const MAX_SHOWN = 10
const MAX_TEXT = 200

/** Lines for people about the attestations of an artifact. Their texts are not printable yet. */
export function describeAttestations(attestations: readonly CheckedAttestation[]): string[] {
  const [skipped, checked] = [attestations.filter(hasNoRoot), attestations.filter(isChecked)]
  const more = checked.length - MAX_SHOWN
  return [
    ...checked.slice(0, MAX_SHOWN).flatMap(describeAttestation),
    ...(more > 0 ? [`${more} more attestations`] : []),
    ...(skipped.length > 0
      ? [
          `attestations present, not checked: ${NO_TRUSTED_ROOT}`,
          'to check them: pass --trusted-root <file>, or set trust.sigstore_root',
        ]
      : []),
  ]
}

function hasNoRoot({ state, problem }: CheckedAttestation): boolean {
  return state === 'unchecked' && problem === NO_TRUSTED_ROOT
}

function isChecked(attestation: CheckedAttestation): boolean {
  return !hasNoRoot(attestation)
}

const TITLES = new Map([
  ['https://slsa.dev/provenance/v1', 'provenance'],
  ['https://slsa.dev/provenance/v0.2', 'provenance'],
  ['https://github.com/npm/attestation/tree/main/specs/publish/v0.1', 'publication'],
])

const STATES: Readonly<Record<AttestationState, (attestation: CheckedAttestation) => string>> = {
  trusted: ({ signer }) => `trusted as ${signer?.name}`,
  untrusted: ({ certificate }) => `present, not trusted: ${describeIdentity(certificate)}`,
  source: ({ signer }) => `present, not trusted: ${signer?.name} is trusted for other sources`,
  revoked: ({ signer }) => `present, not trusted: ${signer?.name} is revoked`,
  expired: ({ signer }) => `present, not trusted: ${signer?.name} has expired`,
  other: ({ statement }) => `about something else: ${listSubjects(statement?.subjects ?? [])}`,
  invalid: ({ problem }) => `present, not valid: ${cutFact(problem ?? '')}`,
  unchecked: ({ problem }) => `present, not checked: ${cutFact(problem ?? '')}`,
}

function describeAttestation(attestation: CheckedAttestation): string[] {
  const { state, statement } = attestation
  const shown = listFacts(statement?.provenance)
  const command = formatTrustCommand(attestation)
  return [
    `${formatTitle(statement?.type)} ${STATES[state](attestation)}`,
    ...(shown.length > 0 ? [`it states: ${shown.join(', ')}`] : []),
    ...(command === undefined ? [] : [`to trust it, if this is its publisher: ${command}`]),
  ]
}

function formatTitle(type: string | undefined): string {
  return type === undefined
    ? 'attestation'
    : (TITLES.get(type) ?? `attestation ${JSON.stringify(cutFact(type))}`)
}

function listFacts(provenance: Provenance | undefined): string[] {
  if (!provenance) return []
  const { repository, ref, commit, workflow, builder } = provenance
  return Object.entries({ repository, ref, commit, workflow, builder }).flatMap(([name, fact]) =>
    fact === undefined ? [] : [`${name} ${cutFact(fact)}`],
  )
}

function describeIdentity(certificate: CheckedAttestation['certificate']): string {
  return certificate
    ? `signed by ${cutFact(certificate.identity)}, confirmed by ${cutFact(certificate.issuer)}`
    : 'signed with a key'
}

/** Strangers write these texts: a long one must not scroll the rights away. */
function cutFact(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

function listSubjects(subjects: readonly StatementSubject[]): string {
  const names = subjects.slice(0, 3).map(({ name }) => cutFact(name))
  return subjects.length > 3
    ? `${names.join(', ')} and ${subjects.length - 3} more`
    : names.join(', ')
}

export function toJsonAttestation(attestation: CheckedAttestation) {
  const { state, statement, certificate, signer, problem } = attestation
  const { type, subjects, provenance } = statement ?? {}
  return {
    state,
    type: type ?? null,
    signer: signer?.name ?? null,
    certificate: certificate
      ? { ...certificate, repository: certificate.repository ?? null }
      : null,
    subjects: subjects ?? [],
    provenance: provenance ? toJsonProvenance(provenance) : null,
    problem: problem ?? null,
    trust_command: formatTrustCommand(attestation) ?? null,
  }
}

function toJsonProvenance({ repository, ref, commit, workflow, builder }: Provenance) {
  return {
    repository: repository ?? null,
    ref: ref ?? null,
    commit: commit ?? null,
    workflow: workflow ?? null,
    builder: builder ?? null,
  }
}

/**
 * The command that makes an attestation count. Undefined if no entry for named sources could cover
 * it: a command that trusts a stranger for everything must not be one to copy.
 */
function formatTrustCommand(attestation: CheckedAttestation): string | undefined {
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
