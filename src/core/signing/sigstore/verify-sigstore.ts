import type { KeyObject } from 'node:crypto'
import type { Bundle } from '@sigstore/bundle'
import type { Signer } from '@sigstore/verify'
import type { SignedEnvelope } from '../envelope/dsse.ts'
import type { RefuseJson } from '../envelope/strict-json.ts'
import type { CertificateIdentity } from '../trust/identity.ts'
import type { TrustedKey } from '../trust/trust-list.ts'
import { parseTrustedRoots, type TrustedInstance } from './trusted-roots.ts'

/** Facts that a check needs besides the bundle itself. */
interface BundleContext {
  /** Keys of the trust list, for bundles that are signed with a key and not with a certificate. */
  keys: readonly TrustedKey[]
  /** Bytes of the archive, for bundles without an envelope. */
  archive?: Uint8Array | undefined
}

/** Signer of a bundle. `unchecked` lacks a key or the archive, `invalid` has no valid signature. */
export type BundleSigner =
  | { state: 'certificate'; certificate: CertificateIdentity }
  | { state: 'key'; key: TrustedKey }
  | { state: 'unchecked' | 'invalid'; problem: string }

/** Verifies bundles of sigstore against trusted roots, without network. */
export interface SigstoreVerifier {
  verify(envelope: SignedEnvelope, context: BundleContext): BundleSigner
}

/** Verifies a bundle by one instance; with `key` one that was signed with this key. */
type VerifyByInstance = (bundle: Bundle, archive?: Buffer, key?: KeyObject) => Signer

/**
 * Opens a verifier with the text of `trusted_root.json`. The packages are optional. They also check
 * the entry in the transparency log and the time in it.
 */
export async function openSigstoreVerifier(
  text: string,
  refuse: RefuseJson,
): Promise<SigstoreVerifier> {
  const instances = parseTrustedRoots(text, refuse)
  const packages = await loadSigstore()
  const verifiers = instances.map((each) => openInstance(packages, each, refuse))
  return {
    verify(envelope, context) {
      try {
        return checkBundle(verifiers, packages.bundleFromJSON(envelope.sigstore), {
          ...context,
          envelope,
        })
      } catch (thrown) {
        return { state: 'invalid', problem: (thrown as Error).message }
      }
    },
  }
}

function openInstance(
  { Verifier, TrustedRoot, toTrustMaterial, toSignedEntity }: SigstorePackages,
  { document, thresholds }: TrustedInstance,
  refuse: RefuseJson,
): VerifyByInstance {
  let material: ReturnType<typeof toTrustMaterial>
  try {
    material = toTrustMaterial(TrustedRoot.fromJSON(document))
  } catch {
    throw refuse('it is not a trusted root of sigstore')
  }
  return (bundle, archive, publicKey) => {
    // The trust list has the date on which a key expires.
    const findKey = publicKey ? () => ({ publicKey, validFor: () => true }) : material.publicKey
    const verifier = new Verifier({ ...material, publicKey: findKey }, thresholds)
    return verifier.verify(toSignedEntity(bundle, archive))
  }
}

function checkBundle(
  verifiers: readonly VerifyByInstance[],
  bundle: Bundle,
  { envelope, keys, archive }: BundleContext & { envelope: SignedEnvelope },
): BundleSigner {
  const { content, verificationMaterial } = bundle
  if (content.$case === 'messageSignature' && archive === undefined) {
    return { state: 'unchecked', problem: 'it signs the bytes of an archive, which is not here' }
  }
  if (!hasContent(bundle, envelope)) throw new Error('its content is ambiguous')
  const bytes = archive && Buffer.from(archive)
  const verify = (key?: KeyObject) =>
    tryInstances(verifiers, (instance) => instance(bundle, bytes, key))
  if (verificationMaterial.content.$case !== 'publicKey') {
    const certificate = readCertificateIdentity(verify())
    if (certificate) return { state: 'certificate', certificate }
    throw new Error('its certificate names no identity or no issuer')
  }
  const signer = keys.find(({ publicKey }) => isAccepted(() => verify(publicKey)))
  if (signer) return { state: 'key', key: signer }
  const { hint } = verificationMaterial.content.publicKey
  const problem = `it is signed with a key, "${hint}", and not with one of the trust list`
  return { state: 'unchecked', problem }
}

/** True if the bytes that the packages verify are those that are read later. */
function hasContent({ content }: Bundle, envelope: SignedEnvelope): boolean {
  if (content.$case === 'messageSignature') return envelope.signsArchive === true
  const { payloadType, payload } = content.dsseEnvelope
  return (
    envelope.signsArchive !== true &&
    envelope.payloadType === payloadType &&
    envelope.payload.equals(payload)
  )
}

/** A bundle has to be valid for one instance: parts of several do not add up. */
function tryInstances(
  verifiers: readonly VerifyByInstance[],
  verify: (instance: VerifyByInstance) => Signer,
): Signer {
  const problems = new Set<string>()
  for (const each of verifiers) {
    try {
      return verify(each)
    } catch (thrown) {
      problems.add((thrown as Error).message)
    }
  }
  throw new Error([...problems].join('; '))
}

function isAccepted(verify: () => unknown): boolean {
  try {
    verify()
    return true
  } catch {
    return false
  }
}

/** Source Repository URI, which Fulcio copies from the token of the workflow. */
const REPOSITORY_OID = '1.3.6.1.4.1.57264.1.12'

/** Reads the identity of a verified certificate; undefined if it names no subject or no issuer. */
function readCertificateIdentity({ identity }: Signer): CertificateIdentity | undefined {
  const [name, issuer] = [identity?.subjectAlternativeName, identity?.extensions?.issuer]
  if (name === undefined || issuer === undefined) return undefined
  const extension = identity?.oids?.find(({ oid }) => oid?.id.join('.') === REPOSITORY_OID)
  const repository = extension && decodeUtf8String(extension.value)
  return { identity: name, issuer, ...(repository !== undefined && { repository }) }
}

const UTF8_STRING = 0x0c

/** Decodes a UTF8String of DER, in the short form or with a length of one or two bytes. */
function decodeUtf8String(der: Buffer): string {
  const [tag, first = 0] = der
  const width = first < 0x80 ? 0 : first & 0x7f
  const length = width === 0 ? first : width <= 2 ? der.readUIntBE(2, width) : -1
  const bytes = der.subarray(2 + width)
  if (tag !== UTF8_STRING || bytes.length !== length) {
    throw new Error('the repository of the certificate is not a text')
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
}

type Verify = typeof import('@sigstore/verify')

/** The parts of the packages of sigstore that are used. */
interface SigstorePackages extends Pick<Verify, 'Verifier' | 'toSignedEntity' | 'toTrustMaterial'> {
  bundleFromJSON: typeof import('@sigstore/bundle').bundleFromJSON
  TrustedRoot: typeof import('@sigstore/protobuf-specs').TrustedRoot
}

/** Loads the packages of sigstore, which are needed late. */
async function loadSigstore(): Promise<SigstorePackages> {
  const [{ bundleFromJSON }, { TrustedRoot }, { Verifier, toSignedEntity, toTrustMaterial }] =
    await Promise.all([
      import('@sigstore/bundle'),
      import('@sigstore/protobuf-specs'),
      import('@sigstore/verify'),
    ])
  return { Verifier, toSignedEntity, toTrustMaterial, bundleFromJSON, TrustedRoot }
}
