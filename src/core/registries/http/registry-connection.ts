import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { SkillsError } from '../../../errors.ts'
import { readStreamUpTo } from '../../../util/bytes/read-up-to.ts'
import { isSafeAddress } from '../../../util/loopback-host.ts'
import { classifyAddress } from '../../sandbox/egress/special-address.ts'
import { findRedirect, openResponse } from './open-response.ts'
import { registryError } from './registry-error.ts'

export interface RegistryRequest {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  url: URL
  headers?: Readonly<Record<string, string>>
  /** Header with credentials. Only addresses below that of the registry get it. */
  authorization?: string | undefined
  body?: Uint8Array
  /** Upper bound for the response. */
  maxBytes: number
  /** Servers to which redirects are followed; undefined returns a redirect as the response. */
  redirects?: 'own' | 'any'
}

export interface RegistryResponse {
  /** Address that answered, after redirects. */
  url: URL
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface ConnectionOptions {
  signal?: AbortSignal | undefined
  /** Milliseconds for one request with its redirects. */
  timeoutMs?: number | undefined
}

const MAX_REDIRECTS = 5
const TIMEOUT_MS = 60_000
/** Servers differ in the address that they read from an escaped "..". */
const ESCAPED_PARENT = /(?:^|\/|\\|%2f|%5c)(?:\.|%2e){2}(?:\/|\\|%2f|%5c|$)/i

/**
 * HTTP to one registry that the user named. Other servers, which the registry names, are reached
 * only at public addresses, or at addresses of the same kind as the registry's own.
 */
export class RegistryConnection {
  readonly base: URL
  readonly #signal: AbortSignal | undefined
  readonly #timeoutMs: number
  /** Special use of the registry's own address, such as a private network. */
  #ownUse: string | undefined

  constructor(base: URL, { signal, timeoutMs = TIMEOUT_MS }: ConnectionOptions) {
    this.base = base
    this.#signal = signal
    this.#timeoutMs = timeoutMs
  }

  isOwn(url: URL): boolean {
    return url.origin === this.base.origin
  }

  /** True for addresses below the path of the registry: a server can have several registries. */
  #isBelow(url: URL): boolean {
    const { pathname } = this.base
    return (
      this.isOwn(url) && url.pathname.startsWith(pathname) && !ESCAPED_PARENT.test(url.pathname)
    )
  }

  /** Sends a request, and reads the whole response. */
  async send(request: RegistryRequest): Promise<RegistryResponse> {
    const timeout = AbortSignal.timeout(this.#timeoutMs)
    const signal = this.#signal ? AbortSignal.any([this.#signal, timeout]) : timeout
    try {
      return await this.#follow(request, signal)
    } catch (thrown) {
      this.#signal?.throwIfAborted()
      if (timeout.aborted) {
        const seconds = this.#timeoutMs / 1000
        throw registryError(request.url, `it takes longer than ${seconds} s`, {
          code: 'remote/timeout',
        })
      }
      if (thrown instanceof SkillsError) throw thrown
      throw registryError(request.url, (thrown as Error).message, { code: 'remote/unreachable' })
    }
  }

  async #follow(request: RegistryRequest, signal: AbortSignal): Promise<RegistryResponse> {
    const { redirects, maxBytes } = request
    let { url, authorization } = request
    for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
      // Another server cannot choose a request that is sent with credentials.
      if (!this.#isBelow(url)) authorization = undefined
      const response = await this.#open({ ...request, url, authorization }, signal)
      const next = redirects && findRedirect(response, url)
      if (!next) return await readResponse(url, response, maxBytes)
      response.destroy()
      if (redirects === 'own' && !this.isOwn(next)) {
        throw registryError(this.base, `it redirects to another one, ${next.origin}`)
      }
      url = next
    }
    throw registryError(request.url, `it has more than ${MAX_REDIRECTS} redirects`)
  }

  async #open(request: RegistryRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const { url, method = 'GET', body, authorization } = request
    this.#checkUrl(url)
    const isOwn = this.isOwn(url)
    const response = await openResponse({
      url,
      method,
      body,
      signal,
      headers: { ...request.headers, ...(authorization !== undefined && { authorization }) },
      checkIp: isOwn ? undefined : (address) => this.#refuseSpecial(url, address),
    })
    const { remoteAddress } = response.socket
    if (isOwn && remoteAddress !== undefined) this.#ownUse = classifyAddress(remoteAddress)
    return response
  }

  #checkUrl(url: URL): void {
    if (url.username !== '' || url.password !== '') {
      throw registryError(this.base, 'it names an address with a user name')
    }
    if (isSafeAddress(url)) return
    throw registryError(this.base, `it names ${url.protocol}//${url.host}, expected https`, {
      hint: 'Registries without https are used on this machine only',
    })
  }

  #refuseSpecial(url: URL, address: string): void {
    const use = classifyAddress(address)
    if (use === undefined) return
    const isShared = use === 'loopback-address' || use === 'private-address'
    if (isShared && use === this.#ownUse) return
    const kind = use.replace('-', ' ')
    throw registryError(this.base, `it names "${url.host}", which is ${address}, a ${kind}`)
  }
}

async function readResponse(
  url: URL,
  response: IncomingMessage,
  maxBytes: number,
): Promise<RegistryResponse> {
  const { statusCode: status = 0, headers } = response
  const body = await readStreamUpTo(response, maxBytes)
  if (body) return { url, status, headers, body }
  throw registryError(url, `its answer has more than ${maxBytes} bytes`)
}
