import { isLoopbackHost } from '../../../util/loopback-host.ts'
import type { RegistryCredentials } from '../credentials/credentials.ts'
import {
  RegistryConnection,
  type ConnectionOptions,
  type RegistryRequest,
  type RegistryResponse,
} from '../http/registry-connection.ts'
import { refusedContentError, registryError } from '../http/registry-error.ts'
import { parseStrictJson } from '../../signing/envelope/strict-json.ts'
import { authenticate, type OciAction } from './authenticate.ts'
import { digestBytes, DIGEST, type Descriptor } from './descriptor.ts'
import { INDEX_TYPES, MANIFEST_TYPES } from './media-types.ts'

export interface OciRepository {
  /** Host with an optional port. */
  registry: string
  repository: string
}

/** Bytes of a manifest or an index, and their digest. */
export interface StoredManifest {
  bytes: Buffer
  digest: string
  mediaType: string
}

const MAX_MANIFEST_BYTES = 1024 ** 2
const MAX_ANSWER_BYTES = 64 * 1024
const MAX_PAGES = 20
const MAX_TAGS = 10_000
const ACCEPTED = [...MANIFEST_TYPES, ...INDEX_TYPES].join(', ')

/** Client of the distribution API for one repository. */
export class OciClient {
  readonly name: string
  readonly repository: string
  readonly #connection: RegistryConnection
  readonly #credentials: RegistryCredentials | undefined
  readonly #authorizations = new Map<OciAction, string>()

  constructor(
    { registry, repository }: OciRepository,
    options: ConnectionOptions & { credentials?: RegistryCredentials | undefined },
  ) {
    const host = registry === 'docker.io' ? 'registry-1.docker.io' : registry
    // Without https, a registry is used on this machine only.
    const { hostname } = new URL(`http://${host}/`)
    const base = new URL(`${isLoopbackHost(hostname) ? 'http' : 'https'}://${host}/`)
    this.name = `oci:${registry}/${repository}`
    this.repository = repository
    this.#connection = new RegistryConnection(base, options)
    this.#credentials = options.credentials
  }

  /** Reads a manifest by its tag or digest; undefined if there is none. */
  async readManifest(reference: string): Promise<StoredManifest | undefined> {
    const source = formatReference(this.name, reference)
    const { status, headers, body } = await this.#request(
      {
        url: this.#locate(`manifests/${reference}`),
        headers: { accept: ACCEPTED },
        maxBytes: MAX_MANIFEST_BYTES,
      },
      'pull',
    )
    if (status === 404) return undefined
    this.#expect(status, [200], `of "${reference}"`)
    const digest = digestBytes(body)
    const claimed = DIGEST.test(reference) ? reference : headers['docker-content-digest']
    if (typeof claimed === 'string' && claimed.startsWith('sha256:') && claimed !== digest) {
      throw refusedContentError(
        source,
        `the digest of its manifest is ${digest}, expected ${claimed}`,
      )
    }
    const mediaType = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
    return { bytes: body, digest, mediaType }
  }

  /** Reads content, and checks its size and digest. */
  async readBlob({ digest, size }: Descriptor, maxBytes: number): Promise<Buffer> {
    const source = `${this.name}@${digest}`
    if (size > maxBytes) {
      throw refusedContentError(source, `it has ${size} bytes, expected at most ${maxBytes}`)
    }
    const { status, body } = await this.#request(
      { url: this.#locate(`blobs/${digest}`), maxBytes: Math.max(size, MAX_ANSWER_BYTES) },
      'pull',
    )
    this.#expect(status, [200], `of the content ${digest}`)
    if (body.length !== size) {
      throw refusedContentError(source, `it has ${body.length} bytes, expected ${size}`)
    }
    const found = digestBytes(body)
    if (found !== digest) throw refusedContentError(source, `its digest is ${found}`)
    return body
  }

  /** Uploads content, unless the registry has it. */
  async writeBlob(bytes: Uint8Array): Promise<void> {
    const digest = digestBytes(bytes)
    const url = this.#locate(`blobs/${digest}`)
    const maxBytes = MAX_ANSWER_BYTES
    const existing = await this.#request({ method: 'HEAD', url, maxBytes }, 'pull,push')
    if (existing.status === 200) return
    const opened = await this.#request(
      { method: 'POST', url: this.#locate('blobs/uploads/'), maxBytes },
      'pull,push',
    )
    this.#expect(opened.status, [202], 'to an upload')
    const { location } = opened.headers
    if (location === undefined || !URL.canParse(location, this.#connection.base.href)) {
      throw registryError(this.#connection.base, 'it names no address for the upload')
    }
    const target = new URL(location, this.#connection.base)
    if (!this.#connection.isOwn(target)) {
      throw registryError(this.#connection.base, `it sends the upload to "${target.host}"`)
    }
    target.searchParams.set('digest', digest)
    const headers = { 'content-type': 'application/octet-stream' }
    const stored = await this.#request(
      { method: 'PUT', url: target, headers, body: bytes, maxBytes },
      'pull,push',
    )
    this.#expect(stored.status, [201], 'to the content of an upload')
  }

  /** Stores a manifest. True if the registry lists it as a referrer of its subject. */
  async writeManifest(reference: string, mediaType: string, body: Uint8Array): Promise<boolean> {
    const url = this.#locate(`manifests/${reference}`)
    const headers = { 'content-type': mediaType }
    const { status, headers: answered } = await this.#request(
      { method: 'PUT', url, headers, body, maxBytes: MAX_ANSWER_BYTES },
      'pull,push',
    )
    this.#expect(status, [201], `to the manifest "${reference}"`)
    return answered['oci-subject'] !== undefined
  }

  /** Deletes a tag; false if the registry does not allow it. */
  async deleteTag(tag: string): Promise<boolean> {
    const url = this.#locate(`manifests/${tag}`)
    const { status } = await this.#request(
      { method: 'DELETE', url, maxBytes: MAX_ANSWER_BYTES },
      'delete',
    )
    if (status === 202 || status === 200) return true
    if (status === 400 || status === 405 || status === 501) return false
    throw registryError(this.#connection.base, `it answered with ${status} to the deletion`)
  }

  /** Lists all tags; empty if there is no such repository. */
  async listTags(): Promise<string[]> {
    const tags: string[] = []
    let url = this.#locate('tags/list?n=1000')
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { status, headers, body } = await this.#request(
        { url, maxBytes: MAX_MANIFEST_BYTES },
        'pull',
      )
      if (status === 404) return tags
      this.#expect(status, [200], 'to the list of tags')
      tags.push(...parseTags(body, this.name))
      const next = /<([^>]+)>\s*;\s*rel="?next"?/.exec(String(headers['link'] ?? ''))?.[1]
      if (next === undefined || !URL.canParse(next, url.href)) return tags
      url = new URL(next, url)
      if (!this.#connection.isOwn(url)) {
        throw registryError(this.#connection.base, `its list of tags continues at "${url.host}"`)
      }
    }
    throw registryError(this.#connection.base, `it has more than ${MAX_PAGES} pages of tags`)
  }

  /** Reads the index of the manifests whose subject has this digest; undefined without that API. */
  async readReferrers(digest: string): Promise<StoredManifest | undefined> {
    const { status, headers, body } = await this.#request(
      {
        url: this.#locate(`referrers/${digest}`),
        headers: { accept: ACCEPTED },
        maxBytes: MAX_MANIFEST_BYTES,
      },
      'pull',
    )
    const mediaType = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
    if (status !== 200 || !INDEX_TYPES.includes(mediaType)) return undefined
    return { bytes: body, digest: digestBytes(body), mediaType }
  }

  #locate(path: string): URL {
    return new URL(`v2/${this.repository}/${path}`, this.#connection.base)
  }

  #expect(status: number, expected: readonly number[], what: string): void {
    if (expected.includes(status)) return
    throw registryError(this.#connection.base, `it answered with ${status} ${what}`)
  }

  /** Sends a request, and once more with a token if the registry asks for one. */
  async #request(request: RegistryRequest, action: OciAction): Promise<RegistryResponse> {
    const attempt = async () => {
      const authorization = this.#authorizations.get(action)
      const isRead = (request.method ?? 'GET') === 'GET'
      // Content is at other servers, and is compared with its digest.
      const redirects = isRead ? ({ redirects: 'any' } as const) : {}
      return await this.#connection.send({ ...request, authorization, ...redirects })
    }
    const first = await attempt()
    // A server behind a redirect gets no credentials, and asks for none.
    if (first.status !== 401 || !this.#connection.isOwn(first.url)) return this.#checkAccess(first)
    const challenge = first.headers['www-authenticate'] ?? ''
    this.#authorizations.set(
      action,
      await authenticate(this.#connection, {
        challenge,
        repository: this.repository,
        action,
        credentials: this.#credentials,
      }),
    )
    return this.#checkAccess(await attempt())
  }

  #checkAccess(response: RegistryResponse): RegistryResponse {
    if (response.status !== 401 && response.status !== 403) return response
    const { base } = this.#connection
    const reason =
      this.#credentials?.type === 'unusable' ? this.#credentials.reason : 'it denies the access'
    throw registryError(base, `${reason} to "${this.repository}"`, {
      code: 'auth/required',
      hint: `Type "docker login ${base.host}", or set SKILLS_REGISTRY and SKILLS_REGISTRY_TOKEN`,
    })
  }
}

function parseTags(body: Buffer, source: string): string[] {
  const refuse = (problem: string) => refusedContentError(source, `in its tags, ${problem}`)
  const tags = parseStrictJson(body.toString('utf8'), refuse).at('tags')
  // A repository without tags has null.
  return tags.value === null || tags.isAbsent ? [] : tags.texts(MAX_TAGS)
}

export function formatReference(name: string, reference: string): string {
  return DIGEST.test(reference) ? `${name}@${reference}` : `${name}:${reference}`
}
