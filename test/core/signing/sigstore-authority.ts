import { createHash, createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bundleToJSON } from '@sigstore/bundle'
import {
  fulcioHandler,
  initializeCA,
  initializeTLog,
  initializeTSA,
  rekorHandler,
  tsaHandler,
} from '@sigstore/mock'
import {
  DSSEBundleBuilder,
  FulcioSigner,
  MessageSignatureBundleBuilder,
  RekorWitness,
  TSAWitness,
  type Signer,
} from '@sigstore/sign'
import { onTestFinished } from 'vitest'

export const ISSUER = 'https://token.actions.githubusercontent.com'
export const WORKFLOW =
  'https://github.com/alice/skills/.github/workflows/release.yml@refs/tags/v1.0.0'

/** Facts of a signature that differ from the usual ones. */
export interface SignatureFacts {
  identity?: string
  issuer?: string
  /** `owner/repo`, which the certificate names. */
  repository?: string
  /** Payload type. */
  type?: string
  /** Private key of P-256 that signs, without a certificate. */
  key?: KeyObject
}

/** An authority of sigstore on this machine: it issues certificates, and logs signatures. */
export interface SigstoreAuthority {
  /** Text of `trusted_root.json`. */
  root: string
  /** Signs a statement, and returns the bundle as JSON. */
  sign(payload: Buffer, facts?: SignatureFacts): Promise<string>
  /** Signs the bytes of an archive, and returns the bundle as JSON. */
  signBytes(bytes: Buffer, facts?: SignatureFacts): Promise<string>
}

export interface AuthorityOptions {
  /** Time at which certificates are issued; now if undefined. */
  issuedAt?: Date
  /** `timestamps`: as the instance of GitHub for private repositories, without a log. */
  witness?: 'log' | 'timestamps'
}

export async function startAuthority({
  issuedAt,
  witness = 'log',
}: AuthorityOptions = {}): Promise<SigstoreAuthority> {
  const ca = await initializeCA(createKeys(), undefined, issuedAt)
  const handlers = [fulcioHandler(ca)]
  // The verifier reads a time without a fraction, or with one of three digits, which zeros at the end are not part of.
  const time = new Date()
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    time.setTime(Math.floor(Date.now() / 1000) * 1000)
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const handler = handlers.find(({ path }) => path === request.url)
    const answer = await handler?.fn(body)
    response.writeHead(answer?.statusCode ?? 404, { 'content-type': 'application/json' })
    response.end(answer?.response)
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const log = await initializeTLog(url, createKeys())
  const clock = await initializeTSA(createKeys(), time)
  handlers.push(rekorHandler(log, { strict: true }), tsaHandler(clock, { strict: true }))
  const createOptions = (facts: SignatureFacts) => ({
    signer: facts.key ? createKeySigner(facts.key) : createIdentitySigner(url, facts),
    witnesses: [
      witness === 'log'
        ? new RekorWitness({ rekorBaseURL: url, entryType: 'intoto' as const })
        : new TSAWitness({ tsaBaseURL: url }),
    ],
  })
  return {
    root: JSON.stringify({
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: witness === 'log' ? [describeLog(url, log.publicKey)] : [],
      certificateAuthorities: [describeAuthority(url, [ca.rootCertificate])],
      ctlogs: [],
      timestampAuthorities:
        witness === 'log'
          ? []
          : [describeAuthority(url, [clock.intCertificate, clock.rootCertificate])],
    }),
    async sign(payload, facts = {}) {
      const { type = 'application/vnd.in-toto+json' } = facts
      const builder = new DSSEBundleBuilder(createOptions(facts))
      return JSON.stringify(bundleToJSON(await builder.create({ data: payload, type })))
    },
    async signBytes(bytes, facts = {}) {
      const { signer } = createOptions(facts)
      const witnesses = [new RekorWitness({ rekorBaseURL: url })]
      const builder = new MessageSignatureBundleBuilder({ signer, witnesses })
      return JSON.stringify(bundleToJSON(await builder.create({ data: bytes })))
    },
  }
}

const createKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

function createIdentitySigner(url: string, facts: SignatureFacts): Signer {
  const { identity = WORKFLOW, issuer = ISSUER, repository } = facts
  const claims = { sub: identity, iss: issuer, aud: 'sigstore', ...(repository && { repository }) }
  const parts = [{}, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  return new FulcioSigner({
    fulcioBaseURL: url,
    identityProvider: { getToken: async () => await Promise.resolve(`${parts.join('.')}.x`) },
  })
}

function createKeySigner(privateKey: KeyObject): Signer {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()
  return {
    sign: async (data) =>
      await Promise.resolve({
        signature: sign('sha256', data, privateKey),
        key: { $case: 'publicKey', publicKey, hint: 'SHA256:registry' },
      }),
  }
}

const VALID_FOR = { start: new Date(0).toISOString() }

function describeLog(url: string, key: Buffer) {
  return {
    baseUrl: url,
    hashAlgorithm: 'SHA2_256',
    publicKey: {
      rawBytes: key.toString('base64'),
      keyDetails: 'PKIX_ECDSA_P256_SHA_256',
      validFor: VALID_FOR,
    },
    logId: { keyId: createHash('sha256').update(key).digest('base64') },
  }
}

function describeAuthority(url: string, certificates: readonly Buffer[]) {
  return {
    subject: { organization: 'test', commonName: 'test' },
    uri: url,
    certChain: {
      certificates: certificates.map((each) => ({ rawBytes: each.toString('base64') })),
    },
    validFor: VALID_FOR,
  }
}
