import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { NpmClient } from '../../../src/core/registries/npm/npm-client.ts'
import type { RegistryCredentials } from '../../../src/core/registries/credentials/credentials.ts'
import { listen, readRequest } from './oci-registry.ts'

interface StoredVersion {
  name: string
  version: string
  deprecated?: string
  dist: { tarball: string; integrity?: string; shasum?: string; attestations?: object }
}

interface StoredPackage {
  name: string
  'dist-tags': Record<string, string>
  versions: Record<string, StoredVersion>
}

/** Content of an npm registry in memory, which tests may change. */
export interface FakeNpmRegistry {
  url: URL
  packages: Map<string, StoredPackage>
  /** By path, such as `/greet/-/greet-1.0.0.tgz`. */
  tarballs: Map<string, Buffer>
  /** By `name@version`. */
  attestations: Map<string, object[]>
  requests: { line: string; authorization: string | undefined }[]
}

interface FakeOptions {
  /** Token without which nothing is written. */
  token?: string
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean
}

export const TOKEN = 'npm_secret'

export function createNpmClient(
  url: URL,
  credentials: RegistryCredentials | undefined = { type: 'token', token: TOKEN },
): NpmClient {
  const options = { signal: new AbortController().signal, timeoutMs: 10_000, credentials }
  return new NpmClient(url, options)
}

/** Starts a registry with the four routes that publishing and installing use. */
export async function startNpmRegistry(options: FakeOptions = {}): Promise<FakeNpmRegistry> {
  const registry: FakeNpmRegistry = {
    url: new URL('http://localhost/'),
    packages: new Map(),
    tarballs: new Map(),
    attestations: new Map(),
    requests: [],
  }
  const host = await listen(async (request, response) => {
    const { method = '', url = '', headers } = request
    registry.requests.push({ line: `${method} ${url}`, authorization: headers.authorization })
    if (options.intercept?.(request, response) === true) return
    const path = decodeURIComponent(new URL(url, registry.url).pathname)
    if (method === 'PUT') return await answerPut(registry, options, { path, request, response })
    const attested = /^\/-\/npm\/v1\/attestations\/(.+)$/.exec(path)?.[1]
    const found =
      attested === undefined
        ? registry.packages.get(path.slice(1))
        : findAttested(registry, attested)
    const tarball = registry.tarballs.get(path)
    if (tarball) return void response.end(tarball)
    if (!found) return void response.writeHead(404).end('{"error":"not_found"}')
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found))
  })
  registry.url = new URL(`http://${host}/`)
  return registry
}

function findAttested({ attestations }: FakeNpmRegistry, name: string): object | undefined {
  const found = attestations.get(name)
  return found && { attestations: found }
}

interface Upload extends StoredPackage {
  _attachments?: Record<string, { data: string; length: number }>
}

// eslint-disable-next-line max-params -- the registry, its options and the exchange
async function answerPut(
  registry: FakeNpmRegistry,
  { token }: FakeOptions,
  exchange: { path: string; request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const { path, request, response } = exchange
  const bytes = await readRequest(request)
  if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) {
    return void response.writeHead(401).end('{"error":"a token is needed"}')
  }
  const body = JSON.parse(bytes.toString()) as unknown
  const [, tagged, tag] = /^\/-\/package\/(.+)\/dist-tags\/(.+)$/.exec(path) ?? []
  if (tagged !== undefined && tag !== undefined) {
    const found = registry.packages.get(tagged)
    if (found) found['dist-tags'][tag] = body as string
    return void response.writeHead(found ? 201 : 404).end('{}')
  }
  response.writeHead(store(registry, body as Upload) ? 201 : 409).end('{}')
}

function store(registry: FakeNpmRegistry, upload: Upload): boolean {
  const { name, versions, _attachments: attachments = {} } = upload
  const stored = registry.packages.get(name) ?? { name, 'dist-tags': {}, versions: {} }
  const isUpload = Object.keys(attachments).length > 0
  if (isUpload && Object.keys(versions).some((version) => version in stored.versions)) return false
  for (const { data } of Object.values(attachments)) {
    const bytes = Buffer.from(data, 'base64')
    for (const { dist } of Object.values(versions)) {
      if (dist.integrity !== `sha512-${hash('sha512', bytes, 'base64')}`) return false
      registry.tarballs.set(decodeURIComponent(new URL(dist.tarball).pathname), bytes)
    }
  }
  const tags = isUpload ? { ...stored['dist-tags'], ...upload['dist-tags'] } : stored['dist-tags']
  const all = { ...stored.versions, ...versions }
  registry.packages.set(name, { name, 'dist-tags': tags, versions: all })
  return true
}
