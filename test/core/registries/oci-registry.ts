import { hash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface Stored {
  type: string
  bytes: Buffer
}

/** Content of a registry in memory, which tests may change. */
export interface FakeOciRegistry {
  /** Host with port. */
  host: string
  manifests: Map<string, Stored>
  blobs: Map<string, Buffer>
  /** Method and path of each request, with its authorization. */
  requests: { line: string; authorization: string | undefined }[]
}

interface FakeOptions {
  /** Answers the API for referrers, as newer registries do. */
  hasReferrers?: boolean
  deletesTags?: boolean
  /** Answers instead of the registry, if it returns true. */
  intercept?: (request: IncomingMessage, response: ServerResponse) => boolean
}

const sha256 = (bytes: Uint8Array) => `sha256:${hash('sha256', bytes)}`

export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<string> {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

export async function readRequest(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Starts a registry that checks what a client sends, as the distribution specification demands. */
export async function startOciRegistry(options: FakeOptions = {}): Promise<FakeOciRegistry> {
  const registry: FakeOciRegistry = {
    host: '',
    manifests: new Map(),
    blobs: new Map(),
    requests: [],
  }
  registry.host = await listen(async (request, response) => {
    const { method = '', url = '', headers } = request
    registry.requests.push({ line: `${method} ${url}`, authorization: headers.authorization })
    if (options.intercept?.(request, response) === true) return
    await answer(registry, options, request, response)
  })
  return registry
}

// eslint-disable-next-line max-params -- the registry, its options and both ends
async function answer(
  registry: FakeOciRegistry,
  options: FakeOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '', 'http://localhost')
  const [, name = '', kind = '', rest = ''] =
    /^\/v2\/(.+?)\/(manifests|blobs|referrers)\/(.*)$/.exec(url.pathname) ?? []
  if (url.pathname.endsWith('/tags/list')) {
    const tags = [...registry.manifests.keys()].filter((key) => !key.startsWith('sha256'))
    return void response.writeHead(200).end(JSON.stringify({ name: 'any', tags }))
  }
  if (kind === 'manifests')
    return await answerManifest(registry, options, { rest, request, response })
  if (kind === 'blobs') return await answerBlob(registry, { name, rest, url, request, response })
  if (kind !== 'referrers' || options.hasReferrers !== true) {
    return void response.writeHead(404).end()
  }
  const manifests = [...registry.manifests].flatMap(([key, { type, bytes }]) => {
    const document = JSON.parse(bytes.toString()) as Record<string, { digest?: string }>
    const isReferrer = key.startsWith('sha256:') && document['subject']?.digest === rest
    const artifactType = document['artifactType']
    return isReferrer ? [{ mediaType: type, digest: key, size: bytes.length, artifactType }] : []
  })
  const index = { schemaVersion: 2, mediaType: INDEX, manifests }
  response.writeHead(200, { 'content-type': INDEX }).end(JSON.stringify(index))
}

const INDEX = 'application/vnd.oci.image.index.v1+json'

interface Exchange {
  rest: string
  request: IncomingMessage
  response: ServerResponse
}

async function answerManifest(
  { manifests, blobs }: FakeOciRegistry,
  options: FakeOptions,
  { rest, request, response }: Exchange,
): Promise<void> {
  if (request.method === 'DELETE') {
    if (options.deletesTags !== true) return void response.writeHead(405).end()
    return void response.writeHead(manifests.delete(rest) ? 202 : 404).end()
  }
  if (request.method !== 'PUT') {
    const stored = manifests.get(rest)
    if (!stored) return void response.writeHead(404).end()
    const headers = { 'content-type': stored.type, 'docker-content-digest': sha256(stored.bytes) }
    return void response.writeHead(200, headers).end(stored.bytes)
  }
  await storeManifest({ manifests, blobs }, options.hasReferrers === true, {
    rest,
    request,
    response,
  })
}

async function storeManifest(
  { manifests, blobs }: Pick<FakeOciRegistry, 'manifests' | 'blobs'>,
  hasReferrers: boolean,
  { rest, request, response }: Exchange,
): Promise<void> {
  const bytes = await readRequest(request)
  const digest = sha256(bytes)
  const document = JSON.parse(bytes.toString()) as {
    config?: { digest: string }
    layers?: { digest: string }[]
    subject?: object
  }
  const named = [document.config, ...(document.layers ?? [])].filter((each) => each !== undefined)
  const isComplete = named.every((each) => blobs.has(each.digest))
  if (!isComplete || (rest.startsWith('sha256:') && rest !== digest)) {
    return void response.writeHead(400).end()
  }
  const stored = { type: request.headers['content-type'] ?? '', bytes }
  manifests.set(digest, stored)
  manifests.set(rest, stored)
  const isReferrer = hasReferrers && document.subject !== undefined
  response.writeHead(201, isReferrer ? { 'oci-subject': digest } : {}).end()
}

async function answerBlob(
  { blobs }: FakeOciRegistry,
  { name, rest, url, request, response }: Exchange & { name: string; url: URL },
): Promise<void> {
  if (request.method === 'POST') {
    const location = `/v2/${name}/blobs/uploads/${randomUUID()}?state=1`
    return void response.writeHead(202, { location }).end()
  }
  if (request.method !== 'PUT') {
    const bytes = blobs.get(rest)
    return void response.writeHead(bytes ? 200 : 404).end(bytes)
  }
  const bytes = await readRequest(request)
  const digest = url.searchParams.get('digest') ?? ''
  if (sha256(bytes) !== digest) return void response.writeHead(400).end()
  blobs.set(digest, bytes)
  response.writeHead(201).end()
}
