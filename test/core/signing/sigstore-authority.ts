import { createHash, generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bundleToJSON } from '@sigstore/bundle'
import { fulcioHandler, initializeCA, initializeTLog, rekorHandler } from '@sigstore/mock'
import { DSSEBundleBuilder, FulcioSigner, RekorWitness } from '@sigstore/sign'
import { onTestFinished } from 'vitest'

export const ISSUER = 'https://token.actions.githubusercontent.com'
export const WORKFLOW =
  'https://github.com/alice/skills/.github/workflows/release.yml@refs/tags/v1.0.0'

/** An authority of sigstore on this machine: it issues certificates, and logs signatures. */
export interface SigstoreAuthority {
  /** Text of `trusted_root.json`. */
  root: string
  /** Signs a statement, and returns the bundle as JSON. */
  sign(payload: Buffer, identity?: string, issuer?: string): Promise<string>
}

export async function startAuthority(): Promise<SigstoreAuthority> {
  const createKeys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ca = await initializeCA(createKeys())
  const handlers = [fulcioHandler(ca)]
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
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
  handlers.push(rekorHandler(log, { strict: true }))
  return {
    root: JSON.stringify(describeRoot(url, ca.rootCertificate, log.publicKey)),
    async sign(payload, identity = WORKFLOW, issuer = ISSUER) {
      const claims = { sub: identity, iss: issuer, aud: 'sigstore' }
      const parts = [{}, claims].map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url'),
      )
      const builder = new DSSEBundleBuilder({
        signer: new FulcioSigner({
          fulcioBaseURL: url,
          identityProvider: { getToken: async () => await Promise.resolve(`${parts.join('.')}.x`) },
        }),
        witnesses: [new RekorWitness({ rekorBaseURL: url, entryType: 'intoto' })],
      })
      const bundle = await builder.create({ data: payload, type: 'application/vnd.in-toto+json' })
      return JSON.stringify(bundleToJSON(bundle))
    },
  }
}

// eslint-disable-next-line max-params -- the address, the certificate and the key of the log
function describeRoot(url: string, certificate: Buffer, logKey: Buffer) {
  const validFor = { start: new Date(0).toISOString() }
  return {
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [
      {
        baseUrl: url,
        hashAlgorithm: 'SHA2_256',
        publicKey: {
          rawBytes: logKey.toString('base64'),
          keyDetails: 'PKIX_ECDSA_P256_SHA_256',
          validFor,
        },
        logId: { keyId: createHash('sha256').update(logKey).digest('base64') },
      },
    ],
    certificateAuthorities: [
      {
        subject: { organization: 'test', commonName: 'test' },
        uri: url,
        certChain: { certificates: [{ rawBytes: certificate.toString('base64') }] },
        validFor,
      },
    ],
    ctlogs: [],
    timestampAuthorities: [],
  }
}
