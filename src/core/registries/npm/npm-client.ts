import { hash } from 'node:crypto'
import { SkillsError } from '../../../errors.ts'
import type { SignedEnvelope } from '../../signing/envelope/dsse.ts'
import { parseNpmAttestations } from '../../signing/envelope/npm-attestations.ts'
import type { Plain, PlainObject } from '../../skills/manifest/manifest.ts'
import { isPlainObject } from '../../skills/manifest/plain-objects.ts'
import {
  formatAuthorization,
  type RegistryAccess,
  type RegistryCredentials,
} from '../credentials/credentials.ts'
import {
  RegistryConnection,
  type ConnectionOptions,
  type RegistryRequest,
  type RegistryResponse,
} from '../http/registry-connection.ts'
import { refusedContentError, registryError } from '../http/registry-error.ts'
import { listSha512Digests } from './integrity.ts'
import { parsePackument, type NpmVersion, type Packument } from './packument.ts'

const MAX_PACKUMENT_BYTES = 64 * 1024 ** 2
const MAX_ANSWER_BYTES = 1024 ** 2
const MAX_ADVISORIES_BYTES = 16 * 1024 ** 2
/** Only what an installation needs. */
const SHORT_FORM = 'application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8'

/** Client of one npm registry. No script of a package is ever executed. */
export class NpmClient {
  readonly #connection: RegistryConnection
  readonly #credentials: RegistryCredentials | undefined

  /** The address of the registry ends with a slash. */
  constructor(
    registry: URL,
    options: ConnectionOptions & { credentials?: RegistryCredentials | undefined },
  ) {
    this.#connection = new RegistryConnection(registry, options)
    this.#credentials = options.credentials
  }

  get registry(): URL {
    return this.#connection.base
  }

  /** Reads the versions of a package; undefined if the registry has no such package. */
  async readPackument(name: string, form: 'short' | 'full'): Promise<Packument | undefined> {
    const url = this.#locate(escapeName(name))
    // Caches must not answer a comparison with what was published.
    if (form === 'full') url.searchParams.set('write', 'true')
    const accept = form === 'short' ? SHORT_FORM : 'application/json'
    const { status, body } = await this.#request({
      url,
      headers: { accept },
      maxBytes: MAX_PACKUMENT_BYTES,
      redirects: 'own',
    })
    if (isAbsent(status)) return undefined
    this.#expect(status, `"${name}"`)
    const refuse = (problem: string) => refusedContentError(`npm:${name}`, problem)
    return parsePackument(body.toString('utf8'), name, refuse)
  }

  /**
   * Reads an archive, and checks its integrity before anything reads its content. It may be at
   * another server, which gets no credentials.
   */
  async readTarball(
    name: string,
    { version, tarball, integrity }: NpmVersion,
    maxBytes: number,
  ): Promise<Buffer> {
    const source = `npm:${name}@${version}`
    const expected = listSha512Digests(integrity)
    if (expected.length === 0) {
      throw refusedContentError(source, 'the registry has no SHA-512 of it')
    }
    if (!URL.canParse(tarball)) throw refusedContentError(source, 'its archive has no address')
    const url = new URL(tarball)
    const { status, body } = await this.#request({ url, maxBytes, redirects: 'any' })
    this.#expect(status, `the archive of "${name}@${version}"`)
    if (!expected.includes(hash('sha512', body, 'base64'))) {
      throw refusedContentError(source, 'its archive does not match the integrity of the registry')
    }
    return body
  }

  /** Reads an archive at the registry itself. Its caller has its digest. */
  async readOwnArchive(url: URL, maxBytes: number): Promise<Buffer> {
    const { status, body } = await this.#request({ url, maxBytes, redirects: 'own' })
    this.#expect(status, `"${url.pathname}"`)
    return body
  }

  /**
   * Asks for the advisories about versions, by names of packages. Undefined if the registry has no
   * such service.
   */
  async readAdvisories(versions: PlainObject): Promise<PlainObject | undefined> {
    const url = this.#locate('-/npm/v1/security/advisories/bulk')
    const { status, body } = await this.#request({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(versions)),
      maxBytes: MAX_ADVISORIES_BYTES,
    })
    if (isAbsent(status)) return undefined
    this.#expect(status, 'advisories')
    const parsed = parseObject(body)
    if (parsed) return parsed
    throw registryError(this.registry, 'its answer about advisories is not a JSON object')
  }

  /** Reads the bundles of sigstore that the registry has for a version. */
  async readAttestations(name: string, version: string): Promise<SignedEnvelope[]> {
    const { status, body } = await this.#request({
      url: this.#locate(`-/npm/v1/attestations/${escapeName(name)}@${version}`),
      maxBytes: MAX_ANSWER_BYTES,
      redirects: 'own',
    })
    if (isAbsent(status)) return []
    this.#expect(status, `the attestations of "${name}@${version}"`)
    const refuse = (problem: string) =>
      new SkillsError(
        'signature/malformed',
        `The attestations of "npm:${name}@${version}" are not valid: ${problem}`,
        { hint: 'Ask its publisher to publish it again' },
      )
    return parseNpmAttestations(body.toString('utf8'), refuse)
  }

  /** Publishes or changes a package. */
  async write(name: string, document: object): Promise<void> {
    await this.#put(escapeName(name), document, name)
  }

  /** Makes a tag name a version. */
  async writeTag(name: string, tag: string, version: string): Promise<void> {
    await this.#put(`-/package/${escapeName(name)}/dist-tags/${tag}`, version, name)
  }

  async #put(path: string, document: object | string, name: string): Promise<void> {
    if (this.#credentials === undefined || this.#credentials.type === 'unusable') {
      throw this.#denied('there is no token for it')
    }
    const { status, headers, body } = await this.#request({
      method: 'PUT',
      url: this.#locate(path),
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(document)),
      maxBytes: MAX_ANSWER_BYTES,
    })
    if (status === 401 && /otp/i.test(headers['www-authenticate'] ?? '')) {
      throw this.#denied('it wants a one-time password, and publishing needs a token without one')
    }
    if (status === 409) throw existsError(name)
    if (status >= 200 && status <= 299) return
    const reason = findReason(body)
    if (status === 401 || status === 403) {
      throw this.#denied(`it denies the access to "${name}"${reason}`)
    }
    throw registryError(this.registry, `it answered with ${status} to "${name}"${reason}`)
  }

  #denied(problem: string): SkillsError {
    const key = `//${this.registry.host}${this.registry.pathname}:_authToken`
    return registryError(this.registry, problem, {
      code: 'auth/required',
      hint: `Add ${key}=… to your .npmrc, or set SKILLS_REGISTRY and SKILLS_REGISTRY_TOKEN`,
    })
  }

  #locate(path: string): URL {
    return new URL(path, this.registry)
  }

  #expect(status: number, what: string): void {
    if (status === 200) return
    if (status === 401 || status === 403) throw this.#denied(`it denies the access (${status})`)
    throw registryError(this.registry, `it answered with ${status} to the request for ${what}`)
  }

  async #request(request: RegistryRequest): Promise<RegistryResponse> {
    const credentials = this.#credentials
    const isUsable = credentials !== undefined && credentials.type !== 'unusable'
    const authorization = isUsable ? formatAuthorization(credentials) : undefined
    return await this.#connection.send({ ...request, authorization })
  }
}

/** Opens a client of the registry of a package, with the user's credentials for it. */
export function openNpmClient(
  name: string,
  access: RegistryAccess,
  options: ConnectionOptions,
): NpmClient {
  const registry = access.findNpmRegistry(name)
  return new NpmClient(registry, { ...options, credentials: access.findNpmCredentials(registry) })
}

function isAbsent(status: number): boolean {
  return status === 404 || status === 410
}

function parseObject(body: Buffer): PlainObject | undefined {
  try {
    const data = JSON.parse(body.toString('utf8')) as Plain
    return isPlainObject(data) ? data : undefined
  } catch {
    return undefined
  }
}

/** A name in a path: the slash of a scope is escaped. */
function escapeName(name: string): string {
  return name.replace('/', '%2f')
}

export function existsError(what: string): SkillsError {
  return new SkillsError('skill/exists', `The registry has "${what}" already`, {
    hint: 'Raise the version of the skill: a published version never changes',
  })
}

/** The reason that a registry gives, as a clause. */
function findReason(body: Buffer): string {
  try {
    const { error, reason } = JSON.parse(body.toString('utf8')) as Record<string, unknown>
    const text = reason ?? error
    return typeof text === 'string' ? `: ${text.slice(0, 200)}` : ''
  } catch {
    return ''
  }
}
